import { spawn } from "node:child_process";
import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { SigningKeyError } from "./signing-key-error.ts";
import { makeSigningKey, openSigningKey } from "./signing-key-file.ts";

let folder: string;
beforeEach(() => {
  folder = fs.mkdtempSync(join(tmpdir(), "key-file-"));
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

function code(path: string): string {
  try {
    openSigningKey(path);
  } catch (error) {
    if (error instanceof SigningKeyError) {
      expect(error.message).toContain(path);
      return error.code;
    }
    throw error;
  }
  return "none";
}

test("the first call makes the key, 0600 whatever the umask says, and every later one reads it", () => {
  const path = join(folder, "deep", "signing.pem");
  const before = process.umask(0);
  try {
    expect(openSigningKey(path)).toBeNull();
    const key = makeSigningKey(path);
    expect(fs.statSync(path).mode & 0o777).toBe(0o600);
    expect(fs.statSync(join(folder, "deep")).mode & 0o777).toBe(0o700);
    expect(makeSigningKey(path).keyId).toBe(key.keyId);
    expect(openSigningKey(path)?.publicKey).toBe(key.publicKey);
    expect(fs.readdirSync(join(folder, "deep"))).toEqual(["signing.pem"]);
  } finally {
    process.umask(before);
  }
});

test("a key that others can read is refused, and so is what is no file", () => {
  const path = join(folder, "signing.pem");
  makeSigningKey(path);
  fs.chmodSync(path, 0o640);
  expect(code(path)).toBe("signingKeyOpenToOthers");
  expect(() => makeSigningKey(path)).toThrow(SigningKeyError);
  fs.mkdirSync(join(folder, "directory"), { mode: 0o700 });
  expect(code(join(folder, "directory"))).toBe("signingKeyNoFile");
});

test("a key of somebody else's is refused", () => {
  const path = join(folder, "signing.pem");
  makeSigningKey(path);
  const euid = vi.spyOn(process as Required<Pick<typeof process, "geteuid">>, "geteuid").mockReturnValue(4_242);
  try {
    expect(code(path)).toBe("signingKeyOtherOwner");
  } finally {
    euid.mockRestore();
  }
  expect(code(path)).toBe("none");
});

test("an emptied or a giant file is told, and never replaced", () => {
  const path = join(folder, "signing.pem");
  fs.writeFileSync(path, "", { mode: 0o600 });
  expect(code(path)).toBe("signingKeyEmpty");
  expect(() => makeSigningKey(path)).toThrow(SigningKeyError);
  expect(fs.readFileSync(path, "utf8")).toBe("");
  fs.truncateSync(path, 2 ** 31);
  expect(code(path)).toBe("signingKeyUnknownForm");
});

test("of processes that make it at once all get the same key", async () => {
  const path = join(folder, "signing.pem");
  const source = `import { makeSigningKey } from ${JSON.stringify(import.meta.resolve("./signing-key-file.ts"))};
    process.stdout.write(makeSigningKey(${JSON.stringify(path)}).keyId);`;
  const ids = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const child = spawn(process.execPath, ["--input-type=module", "--eval", source], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      let out = "";
      for await (const chunk of child.stdout) out += String(chunk);
      return out;
    }),
  );
  expect(new Set(ids)).toEqual(new Set([openSigningKey(path)?.keyId]));
  expect(fs.readdirSync(folder)).toEqual(["signing.pem"]);
});
