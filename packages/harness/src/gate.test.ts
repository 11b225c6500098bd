import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Gated } from "./gate.ts";
import { gateFailure, spawnGated } from "./gate.ts";

let directory: string;
let out: number;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "gate-"));
  out = openSync(join(directory, "out"), "a");
});
afterEach(() => {
  closeSync(out);
  rmSync(directory, { recursive: true });
});

async function gate(
  command: string,
  args: readonly string[] = [],
  env: { [name: string]: string } = {},
): Promise<Gated> {
  const path = { PATH: "/usr/bin:/bin", ...env };
  const spawned = await spawnGated({ command, args, directory, env: path, stdout: out, stderr: out });
  if (spawned.kind === "failed") throw new Error(spawned.detail);
  return spawned.gated;
}

function written(): string {
  return readFileSync(join(directory, "out"), "utf8");
}

describe("a gate", () => {
  it("lets nothing through that is closed, which is also what a killed supervisor leaves", async () => {
    const gated = await gate("touch", ["through"]);
    gated.close();
    expect(await gated.exited).toEqual({ code: 125, signal: null });
    expect(() => readFileSync(join(directory, "through"))).toThrow();
  });

  it("lets the program through with its arguments as they are", async () => {
    const gated = await gate("printf", ["%s|", "a b", "", "$HOME `x` \"'\n", "*"]);
    gated.open();
    await gated.passed;
    expect(await gated.exited).toEqual({ code: 0, signal: null });
    expect(written()).toBe("a b||$HOME `x` \"'\n|*|");
  });

  it("adds nothing to the environment", async () => {
    const gated = await gate("env", [], { KEY: "1" });
    gated.open();
    await gated.exited;
    const names = written()
      .trim()
      .split("\n")
      .map((line) => line.split("=")[0]);
    // bash sets SHLVL anew and `_` at each exec, whatever was unset.
    expect(new Set(names.filter((name) => name !== "_" && name !== "SHLVL"))).toEqual(new Set(["KEY", "PATH"]));
  });

  it("keeps a variable that was declared, though shells have one of that name", async () => {
    const gated = await gate("env", [], { OLDPWD: "/declared" });
    gated.open();
    await gated.exited;
    expect(written()).toContain("OLDPWD=/declared\n");
  });

  it("leads a session and a group of its own", async () => {
    const gated = await gate("ps", ["-o", "pid=,pgid=,sid=", "-p", "1"]);
    const stat = readFileSync(`/proc/${gated.pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    expect(stat.slice(2, 4).map(Number)).toEqual([gated.pid, gated.pid]);
    gated.close();
    await gated.exited;
  });

  it("in a folder that is gone is a failure in words", async () => {
    const gone = { command: "true", args: [], directory: join(directory, "gone"), env: {}, stdout: out, stderr: out };
    expect(await spawnGated(gone)).toMatchObject({ kind: "failed" });
  });
});

describe("why a program never ran", () => {
  it.each([
    [127, "moorage-gate: 1: exec: nosuch: not found\n", "nosuch: not found"],
    [126, "moorage-gate: 1: exec: /tmp: Permission denied\n", "/tmp: Permission denied"],
    [127, "moorage-gate: line 1: exec: nosuch: not found\n", "nosuch: not found"],
    [126, "moorage-gate: line 1: /tmp: Is a directory\nmoorage-gate: line 1: exec: /tmp: …\n", "/tmp: Is a directory"],
    [
      127,
      "moorage-gate: line 1: /x: cannot execute: required file not found\n",
      "/x: cannot execute: required file not found",
    ],
  ])("%i with %j is told as %j", (code, stderr, words) => {
    expect(gateFailure({ code, signal: null }, stderr)).toBe(words);
  });

  it("is not concluded from an exit code or from words alone", () => {
    expect(gateFailure({ code: 127, signal: null }, "sh: 1: nosuch: not found\n")).toBeNull();
    expect(gateFailure({ code: 1, signal: null }, "moorage-gate: 1: exec: nosuch: not found\n")).toBeNull();
    expect(gateFailure({ code: null, signal: "SIGTERM" }, "")).toBeNull();
  });
});
