import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json } from "../ports/digest.ts";
import type { ProcessTemplate } from "./intent.ts";
import { compareIntent, intentDigest, recordedIntent } from "./intent.ts";
import { fakeDigest, intent } from "./observed.fixture.ts";

const template: ProcessTemplate = {
  kind: "process",
  command: ["node", "agent.ts"],
  directory: "/srv/scribe",
  buildId: "b",
  env: { LOG_LEVEL: "info" },
  secretKeys: ["API_KEY", "OTHER"],
  drainMs: 30_000,
  graceMs: 60_000,
  idleMs: null,
  health: { kind: "none" },
  catalog: null,
  identityKey: null,
};

/** What reaches the digest, so that a test can look into it. */
function hashed(changes: Partial<ProcessTemplate> = {}): Json {
  let seen: Json = null;
  intentDigest({ ...template, ...changes }, { text: () => "", canonical: (value) => ((seen = value), "0".repeat(64)) });
  return seen;
}

describe("intentDigest", () => {
  it("names its scheme", () => {
    expect(intentDigest(template, fakeDigest)).toMatch(/^m1:[0-9a-f]{64}$/);
  });

  it("holds of the secret environment the keys alone, as a set, and a placeholder for the Secret", () => {
    expect(hashed()).toMatchObject({ secretKeys: ["API_KEY", "OTHER"], secret: "<attempt>", templateVersion: 1 });
    expect(hashed({ secretKeys: ["OTHER", "API_KEY"] })).toEqual(hashed());
  });

  it("does not change with an optional field that is unset", () => {
    const shape = hashed() as Record<string, Json>;
    expect(Object.keys(shape)).not.toContain("idleMs");
    expect(hashed({ ...template, added: null } as Partial<ProcessTemplate>)).toEqual(shape);
    expect(hashed({ ...template, added: undefined } as Partial<ProcessTemplate>)).toEqual(shape);
  });

  it("changes with every field that would change the process", () => {
    const changes: Partial<ProcessTemplate>[] = [
      { command: ["node", "other.ts"] },
      { directory: "/srv/other" },
      { buildId: "c" },
      { env: { LOG_LEVEL: "debug" } },
      { env: {} },
      { secretKeys: ["API_KEY"] },
      { drainMs: 1 },
      { graceMs: 1 },
      { idleMs: 1 },
      { health: { kind: "socket" } },
      { catalog: { path: "/c", signal: null } },
      { identityKey: { as: "KEY" } },
    ];
    const digests = changes.map((change) => intentDigest({ ...template, ...change }, fakeDigest));
    expect(new Set([...digests, intentDigest(template, fakeDigest)]).size).toBe(changes.length + 1);
  });
});

describe("a recorded intent", () => {
  it("is current, diverged or not comparable", () => {
    expect(compareIntent(recordedIntent(intent("a")), intent("a"))).toBe("current");
    expect(compareIntent(recordedIntent(intent("a")), intent("b"))).toBe("diverged");
    expect(compareIntent(recordedIntent(undefined), intent("a"))).toBe("diverged");
    expect(compareIntent(recordedIntent(""), intent("a"))).toBe("diverged");
  });

  it("in any other scheme cannot be compared, whatever it says", () => {
    const own = /^m1:[0-9a-f]{64}$/;
    fc.assert(
      fc.property(
        fc.string({ minLength: 1 }).filter((text) => !own.test(text)),
        (text) => {
          expect(compareIntent(recordedIntent(text), intent("a"))).toBe("notComparable");
        },
      ),
    );
    expect(compareIntent(recordedIntent(`m1:${"A".repeat(64)}`), intent("a"))).toBe("notComparable");
  });
});
