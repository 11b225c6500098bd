import { intentDigest, type ProcessTemplate } from "@moorage/core";
import { describe, expect, test } from "vitest";
import { DigestError } from "./canonical-form.ts";
import { sha256 } from "./digest.ts";

describe("SHA-256 over text", () => {
  test("the vectors of FIPS 180", () => {
    expect(sha256.text("")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect(sha256.text("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  });

  test("two different lone surrogates are refused: in UTF-8 both would be the same", () => {
    expect(() => sha256.text("\ud800")).toThrow(DigestError);
    expect(() => sha256.text("a\udc00b")).toThrow(DigestError);
  });
});

test("the digest of a 50-key intent costs at most eight times its JSON", () => {
  const env = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`VARIABLE_${(at * 7) % 50}`, `value ${at}`]));
  const template: ProcessTemplate = {
    kind: "process",
    command: ["node", "agent.ts"],
    directory: "/home/someone/agent",
    buildId: "a".repeat(64),
    drainMs: 30_000,
    graceMs: 60_000,
    idleMs: null,
    health: { kind: "none" },
    catalog: { path: "./catalog", signal: null },
    identityKey: null,
    env,
    secretKeys: ["API_KEY"],
  };
  // The best of many short rounds, taken in turn: other work on the machine slows both alike.
  let plain = Number.POSITIVE_INFINITY;
  let digest = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 60; round++) {
    plain = Math.min(
      plain,
      timed(() => JSON.stringify(template)),
    );
    digest = Math.min(
      digest,
      timed(() => intentDigest(template, sha256)),
    );
  }
  expect(digest / plain).toBeLessThanOrEqual(8);
});

function timed(work: () => unknown): number {
  const start = performance.now();
  for (let times = 0; times < 300; times++) work();
  return performance.now() - start;
}
