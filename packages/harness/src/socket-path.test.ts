import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { chooseSocketPath, ensurePrivateDirectory } from "./socket-path.ts";

let directory: string;
const uid = process.getuid?.() ?? -1;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "sp-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

function choose(wanted: string, runtimeDir: string | null = directory, temporaryDir = directory): string {
  return chooseSocketPath({ wanted, key: "scribe-1", runtimeDir, temporaryDir, uid });
}

const deep = `/home/someone/${"deep/".repeat(30)}socket`;

describe("the socket's path", () => {
  it("is the wanted one while that is short", () => {
    expect(choose("/home/someone/socket")).toBe("/home/someone/socket");
  });

  it("is a short one in a private directory when the state is deep", () => {
    const path = choose(deep);
    expect(Buffer.byteLength(path)).toBeLessThan(100);
    expect(path.startsWith(`${directory}/moorage/`)).toBe(true);
    expect(statSync(join(directory, "moorage")).mode & 0o777).toBe(0o700);
    expect(choose(deep)).toBe(path);
    expect(choose(`${deep}2`)).not.toBe(path);
  });

  it("counts bytes, not characters", () => {
    expect(choose(`/${"ü".repeat(60)}`)).not.toBe(`/${"ü".repeat(60)}`);
  });

  it("is in the temporary directory without a runtime directory", () => {
    expect(choose(deep, null).startsWith(`${directory}/moorage-${uid}/`)).toBe(true);
  });

  it("passes over a directory that others may use", () => {
    mkdirSync(join(directory, "moorage"));
    chmodSync(join(directory, "moorage"), 0o777);
    expect(choose(deep).startsWith(`${directory}/moorage-${uid}/`)).toBe(true);
  });

  it("is refused with the path and every reason when there is no place", () => {
    const long = `/tmp/${"x".repeat(90)}`;
    expect(() =>
      chooseSocketPath({ wanted: deep, key: "k", runtimeDir: long, temporaryDir: long, uid: 4_000_000 }),
    ).toThrow(/the socket \/home\/someone.*too long as well.*(another user|EACCES)/s);
    rmSync("/tmp/moorage-4000000", { recursive: true, force: true });
  });
});

describe("a private directory", () => {
  it("that is a link or another user's is not trusted", () => {
    symlinkSync("/etc", join(directory, "link"));
    expect(ensurePrivateDirectory(join(directory, "link"), uid)).toBe("it is not a directory");
    expect(ensurePrivateDirectory(join(directory, "mine"), uid)).toBeNull();
    expect(ensurePrivateDirectory(join(directory, "mine"), uid + 1)).toMatch(/another user/);
  });
});
