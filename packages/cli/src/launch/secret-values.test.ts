import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { DeclaredAgent, ValueSource } from "../declaration/agent.ts";
import { undeclaredAgent } from "../declaration/agent.ts";
import { CliError } from "../errors/cli-error.ts";
import { readSecretValues } from "./secret-values.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "secrets-"));
  writeFileSync(join(folder, "key"), "hunter2\n", { mode: 0o600 });
  writeFileSync(join(folder, "two"), "a\n\n", { mode: 0o600 });
  writeFileSync(join(folder, "open"), "hunter2");
  chmodSync(join(folder, "open"), 0o644);
  writeFileSync(join(folder, "empty"), "\n", { mode: 0o600 });
  writeFileSync(join(folder, "binary"), Buffer.from([0xff, 0xfe]), { mode: 0o600 });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function agent(secrets: Record<string, ValueSource>, more: Partial<DeclaredAgent> = {}): DeclaredAgent {
  return { ...undeclaredAgent("a", ["sleep"], folder), secretEnv: new Map(Object.entries(secrets)), ...more };
}

function file(name: string): ValueSource {
  return { kind: "file", path: join(folder, name), shown: name };
}

function env(name: string): ValueSource {
  return { kind: "env", name };
}

test("values come from the environment and from files, without one newline at the end", () => {
  const { values, warnings } = readSecretValues(agent({ A: env("X"), B: file("key"), C: file("two") }), { X: "x" });
  expect(Object.fromEntries(values)).toEqual({ A: "x", B: "hunter2", C: "a\n" });
  expect(warnings).toEqual([]);
});

test("all that is missing is told at once, with what helps, and no value", () => {
  const secrets = { A: env("X"), B: env("Y"), C: file("none"), D: file("empty"), E: file("binary"), F: env("Z") };
  const read = (): unknown => readSecretValues(agent(secrets), { Y: "", Z: "hunter2\0" });
  expect(read).toThrow(CliError);
  try {
    read();
  } catch (error) {
    const { code, message, hint, details } = error as CliError;
    expect(code).toBe("secretMissing");
    expect(message).toBe(
      "a: A: X is not set; B: Y is empty; C: none is not there; D: empty is empty; E: binary is not UTF-8; F: the value has a NUL character in it",
    );
    expect(hint).toContain("export X=…");
    expect(JSON.stringify({ message, hint, details })).not.toContain("hunter2");
  }
});

test("a secret that others may read is one warning", () => {
  expect(readSecretValues(agent({ A: file("open") }), {}).warnings).toEqual([
    expect.stringContaining("chmod 600 open"),
  ]);
});

test("passed variables are handed over where they are set", () => {
  const { values } = readSecretValues(agent({}, { passEnv: ["HTTPS_PROXY", "NO_PROXY"] }), { HTTPS_PROXY: "http://p" });
  expect(Object.fromEntries(values)).toEqual({ HTTPS_PROXY: "http://p" });
});

test("the identity key is handed over under the name that is declared, and without one not at all", () => {
  const from = env("KEY");
  const named = readSecretValues(agent({}, { identity: { kind: "key", from, as: "SCRIBE_KEY" } }), { KEY: " k \n" });
  expect([named.key?.trim(), Object.fromEntries(named.values)]).toEqual(["k", { SCRIBE_KEY: "k" }]);
  const hidden = readSecretValues(agent({}, { identity: { kind: "key", from, as: null } }), { KEY: "k" });
  expect([hidden.key, hidden.values.size]).toEqual(["k", 0]);
});

test("inside the agent a value is found under the agent's own name for it", () => {
  expect(Object.fromEntries(readSecretValues(agent({ A: env("X") }), {}, { A: "own" }).values)).toEqual({ A: "own" });
});

test("two mebibytes of secrets are refused", () => {
  const big = "x".repeat(100_000);
  const names = Array.from({ length: 21 }, (_, at) => `K${at}`);
  const secrets = Object.fromEntries(names.map((name) => [name, env(name)]));
  expect(() => readSecretValues(agent(secrets), Object.fromEntries(names.map((name) => [name, big])))).toThrow(
    /1048576 is the most/,
  );
});
