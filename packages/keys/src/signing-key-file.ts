/** The file of a signing key: made once, by whoever comes first, readable by its owner alone, whole or not there. */
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import { dirname, join } from "node:path";
import { generateSigningKey, readSigningKey, type SigningKey } from "./signing-key.ts";
import { SigningKeyError } from "./signing-key-error.ts";

/** The greatest file that is read as a key, in bytes. */
const largest = 16_384;

/** The key in a file, or null when there is no such file. Throws a `SigningKeyError`, or Node's error of the file system. */
export function openSigningKey(path: string): SigningKey | null {
  let file: number;
  try {
    file = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    throw error;
  }
  try {
    const { mode, size, uid } = fs.fstatSync(file);
    if ((mode & fs.constants.S_IFMT) !== fs.constants.S_IFREG) throw new SigningKeyError("signingKeyNoFile", path);
    if (uid !== (process.geteuid?.() ?? uid)) throw new SigningKeyError("signingKeyOtherOwner", path);
    if ((mode & 0o077) !== 0) throw new SigningKeyError("signingKeyOpenToOthers", path);
    if (size > largest) throw new SigningKeyError("signingKeyUnknownForm", path);
    return readSigningKey(fs.readFileSync(file, "utf8"));
  } catch (error) {
    throw error instanceof SigningKeyError && !error.message.startsWith(path)
      ? new SigningKeyError(error.code, path)
      : error;
  } finally {
    fs.closeSync(file);
  }
}

/**
 * The key in a file, which is made (0600) if there is none. Of several that make one at once all get the same. Never
 * replaces what is there. Throws as `openSigningKey` does.
 */
export function makeSigningKey(path: string): SigningKey {
  const there = openSigningKey(path);
  if (there !== null) return there;
  const { key, pem } = generateSigningKey();
  const folder = dirname(path);
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  const fresh = join(folder, `.${randomBytes(8).toString("hex")}.new`);
  try {
    writeDurably(fresh, pem);
    // Unlike a rename, a link never takes the place of what another has put there meanwhile.
    fs.linkSync(fresh, path);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    const other = openSigningKey(path);
    if (other === null) throw error;
    return other;
  } finally {
    fs.rmSync(fresh, { force: true });
  }
  syncFolder(folder);
  return key;
}

function writeDurably(path: string, text: string): void {
  const file = fs.openSync(path, "wx", 0o600);
  try {
    fs.writeFileSync(file, text);
    fs.fsyncSync(file);
  } finally {
    fs.closeSync(file);
  }
}

function syncFolder(folder: string): void {
  const file = fs.openSync(folder, "r");
  try {
    fs.fsyncSync(file);
  } finally {
    fs.closeSync(file);
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
