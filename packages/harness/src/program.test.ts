import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findProgram } from "./program.ts";

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "program-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

function put(name: string, content: string | Buffer, mode = 0o755): string {
  const path = join(directory, name);
  writeFileSync(path, content);
  chmodSync(path, mode);
  return path;
}

describe("a command", () => {
  it("without a slash is found in PATH, in its order", () => {
    mkdirSync(join(directory, "first"));
    mkdirSync(join(directory, "second"));
    put("second/tool", "#!/bin/sh\n");
    const path = `${join(directory, "first")}:${join(directory, "second")}`;
    expect(findProgram("tool", directory, path)).toEqual({ kind: "found", path: join(directory, "second/tool") });
    put("first/tool", "#!/bin/sh\n", 0o644);
    // A first one that cannot be executed hides nothing.
    expect(findProgram("tool", directory, path)).toMatchObject({ kind: "found" });
  });

  it("with a slash is relative to the declaration's folder", () => {
    put("tool", "#!/bin/sh\n");
    expect(findProgram("./tool", directory, "")).toEqual({ kind: "found", path: join(directory, "tool") });
  });

  it("that is a binary, or an executable that cannot be read, is left to the kernel", () => {
    expect(findProgram(process.execPath, directory, "")).toMatchObject({ kind: "found" });
    put("data", Buffer.from([0x7f, 0, 1, 2]));
    expect(findProgram("./data", directory, "")).toMatchObject({ kind: "found" });
  });

  it.each<readonly [string, string, RegExp, () => void]>([
    ["that is nowhere", "nosuch", /nosuch was not found in PATH \(.*\)/, () => undefined],
    ["that is empty", "", /its command is empty/, () => undefined],
    ["whose file is not there", "./nosuch", /nosuch.* was not found/, () => undefined],
    [
      "that is not executable",
      "./tool",
      /not executable for this user; `chmod \+x/,
      () => put("tool", "#!/bin/sh\n", 0o644),
    ],
    ["in PATH that is not executable", "tool", /not executable/, () => put("tool", "#!/bin/sh\n", 0o644)],
    ["that is a directory", "./tool", /is a directory/, () => mkdirSync(join(directory, "tool"))],
    ["that is an empty file", "./tool", /is empty/, () => put("tool", "")],
    [
      "that is a script without an interpreter",
      "./tool",
      /without an interpreter.*#!\/bin\/sh/,
      () => put("tool", "echo hi\n"),
    ],
    [
      "whose interpreter is missing",
      "./tool",
      /needs the interpreter \/no\/such, which is not there/,
      () => put("tool", "#!/no/such -x\n"),
    ],
    ["with an empty first line", "./tool", /names no interpreter/, () => put("tool", "#! \n")],
    ["with Windows line ends", "./tool", /Windows line ends/, () => put("tool", "#!/bin/sh\r\nexit\r\n")],
  ])("%s is refused in words", (_name, command, words, prepare) => {
    prepare();
    const program = findProgram(command, directory, directory);
    expect(program).toMatchObject({ kind: "refused", detail: expect.stringMatching(words) });
  });

  it("in a folder that is gone is refused in words", () => {
    const gone = join(directory, "gone");
    expect(findProgram("sh", gone, "/bin")).toEqual({ kind: "refused", detail: `its directory ${gone} is not there` });
  });
});
