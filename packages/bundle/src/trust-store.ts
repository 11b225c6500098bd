/** The trust of this machine, below one folder: the key that signs here and the root that says whose signatures count, made once by whoever comes first. */
import fs from "node:fs";
import { join } from "node:path";
import { makeSigningKey, openSigningKey, type SigningKey } from "@moorage/keys";
import { BundleError } from "./bundle-error.ts";
import { makeDurableFolder, namesIn, nodeDisk, sweepUnfinished, writeUnfinished } from "./disk.ts";
import { envelopeBytes } from "./dsse.ts";
import { readOpen } from "./file-content.ts";
import { codeOf, systemCodeOf } from "./node-error.ts";
import { TrustError } from "./trust-error.ts";
import { type PinnedRoot, publicKeysOf, readRoot, signRoot, trustRoot } from "./trust-root.ts";

/** The greatest file that is read as a root, in bytes: 32 keys and as many signatures are a tenth of it. */
const largestRoot = 256 * 1024;

/** Roots of before a key was lost. */
const earlierRoot = /^root-\d{1,10}\.json$/;

const keyAt = (folder: string): string => join(folder, "signing.key");
const rootAt = (folder: string): string => join(folder, "root.json");

/**
 * The root that is there; a key and a root with threshold one are made if there is none. Of several that come first at
 * once all get the same. Throws a `TrustError` or a `SigningKeyError`.
 */
export function ensureTrust(folder: string): PinnedRoot {
  const there = readTrust(folder);
  if (there !== null) return there;
  return told(folder, () => {
    makeDurableFolder(nodeDisk, folder);
    checkOwn(folder);
    const fresh = writeUnfinished(nodeDisk, rootAt(folder), [selfSigned(makeSigningKey(keyAt(folder)), 1)]);
    try {
      // Unlike a rename, a link never takes the place of what another has put there meanwhile.
      fs.linkSync(fresh, rootAt(folder));
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
    } finally {
      nodeDisk.remove(fresh);
    }
    nodeDisk.syncFolder(folder);
    return trustIn(folder);
  });
}

/** The root whose signatures count here, with the digest that is pinned; null when none was made yet. Throws a `TrustError`. */
export function readTrust(folder: string): PinnedRoot | null {
  const root = readRootFile(rootAt(folder));
  if (root !== null) checkOwn(folder);
  else if (earlierRoots(folder).length > 0)
    throw new TrustError("trustRootLost", `the trust root ${rootAt(folder)} is lost: one that came before it is there`);
  return root;
}

/** The root with that digest: the one in use, or one of before a key was lost. Throws a `TrustError` that names both for any other. */
export function pinnedTrust(folder: string, pin: string): PinnedRoot {
  const current = trustIn(folder);
  if (current.digest === pin) return current;
  for (const name of earlierRoots(folder)) {
    const earlier = readRootFile(join(folder, name));
    if (earlier?.digest === pin) return earlier;
  }
  throw new TrustError(
    "trustOtherRoot",
    `the trust root here is ${current.digest} (version ${current.root.version}), and another was pinned: ${pin}`,
  );
}

/** The key that signs here, which the root trusts. Throws a `TrustError` or a `SigningKeyError`; a lost key is told as `signingKeyLost`. */
export function signingKeyOf(folder: string): SigningKey {
  const { root } = trustIn(folder);
  const key = openKey(folder);
  if (key === null)
    throw new TrustError(
      "signingKeyLost",
      `the signing key ${keyAt(folder)} is lost: its trust root is there without it`,
    );
  if (!publicKeysOf(root).includes(key.publicKey))
    throw new TrustError(
      "signingKeyNotTrusted",
      `the signing key ${keyAt(folder)} is not one that the trust root names`,
    );
  return key;
}

/**
 * The way back from a lost key, for a person to choose: another key, and a root of the next version that trusts it alone. The
 * old root stays beside. Refuses with `signingKeyThere` while the key is there and trusted. A killed call is taken up by the next.
 */
export function replaceLostKey(folder: string): PinnedRoot {
  const current = trustIn(folder);
  const there = openKey(folder);
  if (there !== null && publicKeysOf(current.root).includes(there.publicKey))
    throw new TrustError("signingKeyThere", `the signing key ${keyAt(folder)} is not lost: ${there.keyId}`);
  return told(folder, () => {
    const { version } = current.root;
    const key = makeSigningKey(keyAt(folder));
    keepBeside(folder, version);
    const fresh = writeUnfinished(nodeDisk, rootAt(folder), [selfSigned(key, version + 1)]);
    nodeDisk.rename(fresh, rootAt(folder));
    nodeDisk.syncFolder(folder);
    sweepUnfinished(nodeDisk, folder, Date.now());
    return trustIn(folder);
  });
}

function keepBeside(folder: string, version: number): void {
  try {
    fs.linkSync(rootAt(folder), join(folder, `root-${version}.json`));
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
  nodeDisk.syncFolder(folder);
}

function selfSigned(key: SigningKey, version: number): Uint8Array {
  const root = trustRoot({ version, threshold: 1, keys: [key.publicKey], expires: null });
  return envelopeBytes(signRoot(root, [key]));
}

function trustIn(folder: string): PinnedRoot {
  const root = readTrust(folder);
  if (root !== null) return root;
  throw new TrustError("trustMissing", `there is no trust root in ${folder} yet`);
}

function earlierRoots(folder: string): string[] {
  return told(folder, () => namesIn(folder).filter((name) => earlierRoot.test(name)));
}

function openKey(folder: string): SigningKey | null {
  return told(folder, () => openSigningKey(keyAt(folder)));
}

function readRootFile(path: string): PinnedRoot | null {
  return told(path, () => {
    const bytes = readOwn(path);
    if (bytes === null) return null;
    if (bytes.length === 0) throw new TrustError("trustRootDamaged", `the trust root ${path} is empty`);
    try {
      return readRoot(bytes);
    } catch (error) {
      if (error instanceof BundleError)
        throw new TrustError("trustRootDamaged", `the trust root ${path} is damaged: ${error.message}`);
      throw error;
    }
  });
}

/** At most one byte more than a root may have; null when there is no file. */
function readOwn(path: string): Uint8Array | null {
  let file: number;
  try {
    file = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    throw error;
  }
  try {
    const stat = fs.fstatSync(file);
    if (!stat.isFile() || stat.size > largestRoot)
      throw new TrustError("trustRootDamaged", `the trust root ${path} is no file, or far too large for one`);
    judgeOwner(path, stat);
    return readOpen(file, stat.size);
  } finally {
    fs.closeSync(file);
  }
}

/** Whoever may write into the folder may put another root there. */
function checkOwn(folder: string): void {
  told(folder, () => judgeOwner(folder, fs.statSync(folder)));
}

function judgeOwner(path: string, { uid, mode }: fs.Stats): void {
  if (uid !== (process.geteuid?.() ?? uid)) throw new TrustError("trustOtherOwner", `${path} belongs to somebody else`);
  if ((mode & 0o022) !== 0)
    throw new TrustError("trustOpenToOthers", `${path} can be written by others than its owner`);
}

/** Node's own errors name a path, and nothing that helps. */
function told<Value>(path: string, work: () => Value): Value {
  try {
    return work();
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === null) throw error;
    throw new TrustError("trustUnreadable", `${path} cannot be read or written (${code})`);
  }
}
