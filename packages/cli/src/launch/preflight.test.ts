import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { commandFault } from "./preflight.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "preflight-"));
  mkdirSync(join(folder, "bin"));
  mkdirSync(join(folder, "folder"));
  const script = (name: string, text: string, mode = 0o755): void => {
    writeFileSync(join(folder, name), text);
    chmodSync(join(folder, name), mode);
  };
  script("bin/tool", "#!/bin/sh\n");
  script("bin/plain", "#!/bin/sh\n", 0o644);
  script("good.sh", "#!/bin/sh\necho hi\n");
  script("env.sh", "#!/usr/bin/env tool\n");
  script("env-gone.sh", "#!/usr/bin/env nothing-of-this-name\n");
  script("env-split.sh", "#!/usr/bin/env -S A=b sh -e\n");
  script("bare.sh", "echo hi\n");
  script("gone.sh", "#!/no/such/interpreter\n");
  script("empty.sh", "");
  script("closed.sh", "#!/bin/sh\n", 0o644);
  writeFileSync(join(folder, "agent.ts"), "");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function fault(...command: string[]): string {
  const found = commandFault(command, folder, `${folder}/bin:/usr/bin:/bin`);
  if (found !== null) expect(found.hint).not.toBe("");
  return found?.message ?? "";
}

test.each([
  ["sleep", "1"],
  ["tool"],
  ["./good.sh"],
  ["./env.sh"],
  ["./env-split.sh"],
  ["sh", "-c", "no-such.ts"],
  ["sh", "agent.ts"],
  ["/bin/sh"],
])("%s can be run", (...command) => {
  expect(fault(...command)).toBe("");
});

test.each([
  [["nothing-of-this-name"], "no program nothing-of-this-name on PATH"],
  [["sleep 1"], "no program sleep 1 on PATH"],
  [["plain"], "may not be executed"],
  [["./none"], "there is no ./none"],
  [["./folder"], "is a folder"],
  [["./closed.sh"], "may not be executed"],
  [["./bare.sh"], "script without an interpreter"],
  [["./empty.sh"], "is empty"],
  [["./gone.sh"], "/no/such/interpreter, which is not there"],
  [["./env-gone.sh"], "nothing-of-this-name, which is not on PATH"],
  [["sh", "no-such.sh"], "there is no no-such.sh"],
])("%j cannot, and why", (command, message) => {
  expect(fault(...command)).toContain(message);
});

test("a program in the declaration's folder is no program on PATH, and is told how to be named", () => {
  expect(commandFault(["good.sh"], folder, "/usr/bin")?.hint).toContain("./good.sh");
});

test("a whole line in the place of a word is told as that", () => {
  expect(commandFault(["sleep 1"], folder, "/usr/bin:/bin")?.hint).toContain("each word of the command by itself");
});
