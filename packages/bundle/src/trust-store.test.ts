import { spawn } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { SigningKeyError } from "@moorage/keys";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { temporaryFolder } from "./catalog-folder.fixture.ts";
import { envelopeBytes } from "./dsse.ts";
import { makeKey } from "./signed-bundle.fixture.ts";
import { TrustError } from "./trust-error.ts";
import { signRoot, trustRoot } from "./trust-root.ts";
import { ensureTrust, pinnedTrust, readTrust, replaceLostKey, signingKeyOf } from "./trust-store.ts";

let folder: string;
let keyFile: string;
let rootFile: string;
beforeEach(() => {
  folder = join(temporaryFolder(), "state", "trust");
  keyFile = join(folder, "signing.key");
  rootFile = join(folder, "root.json");
});
afterEach(() => fs.rmSync(join(folder, "../.."), { recursive: true, force: true }));

function failure(work: () => unknown): { readonly code: string; readonly message: string } {
  try {
    work();
  } catch (error) {
    if (error instanceof TrustError || error instanceof SigningKeyError) {
      expect(error.hint).not.toBe("");
      return { code: error.code, message: error.message };
    }
    throw error;
  }
  throw new Error("it went well");
}

function modeOf(path: string): number {
  return fs.statSync(path).mode & 0o777;
}

function put(path: string, content: string | Uint8Array): void {
  fs.rmSync(path, { recursive: true, force: true });
  fs.writeFileSync(path, content, { mode: 0o600 });
}

test("is made by the first call, for its owner alone, and read by all others", () => {
  const before = process.umask(0);
  try {
    expect(readTrust(folder)).toBeNull();
    expect(failure(() => signingKeyOf(folder)).code).toBe("trustMissing");
    const made = ensureTrust(folder);
    expect(made.root).toMatchObject({ version: 1, threshold: 1, expires: null });
    expect([modeOf(folder), modeOf(keyFile), modeOf(rootFile)]).toEqual([0o700, 0o600, 0o600]);
    expect(ensureTrust(folder)).toEqual(made);
    expect(readTrust(folder)).toEqual(made);
    expect(made.root.keys.map(({ keyId }) => keyId)).toEqual([signingKeyOf(folder).keyId]);
    expect(fs.readdirSync(folder).sort()).toEqual(["root.json", "signing.key"]);
  } finally {
    process.umask(before);
  }
});

async function inProcesses(call: string): Promise<string[]> {
  const source = `import * as trust from ${JSON.stringify(import.meta.resolve("./trust-store.ts"))};
    process.stdout.write(${call}.digest);`;
  return Promise.all(
    Array.from({ length: 4 }, async () => {
      const child = spawn(process.execPath, ["--input-type=module", "--eval", source], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      let out = "";
      for await (const chunk of child.stdout) out += String(chunk);
      return out;
    }),
  );
}

test("is the same for all of several that come first at once", async () => {
  const digests = await inProcesses(`trust.ensureTrust(${JSON.stringify(folder)})`);
  expect(new Set(digests)).toEqual(new Set([readTrust(folder)?.digest]));
  expect(fs.readdirSync(folder).sort()).toEqual(["root.json", "signing.key"]);
});

test("is made to its end after a call that was killed between key and root", () => {
  const { digest } = ensureTrust(folder);
  fs.rmSync(rootFile);
  expect(ensureTrust(folder).digest).toBe(digest);
});

test("the pinned root is the one that is here, and any other is told by name", () => {
  const { digest } = ensureTrust(folder);
  const other = `sha256:${"5".repeat(64)}`;
  expect(pinnedTrust(folder, digest).digest).toBe(digest);
  const { code, message } = failure(() => pinnedTrust(folder, other));
  expect(code).toBe("trustOtherRoot");
  expect(message).toContain(digest);
  expect(message).toContain(other);
});

describe("a lost key", () => {
  test("is told, stops nobody who only verifies, and is never replaced by itself", () => {
    const made = ensureTrust(folder);
    fs.rmSync(keyFile);
    expect(failure(() => signingKeyOf(folder)).code).toBe("signingKeyLost");
    expect(ensureTrust(folder)).toEqual(made);
    expect(fs.existsSync(keyFile)).toBe(false);
  });

  test("has a way back: another key, the next version, and the old root beside", () => {
    const made = ensureTrust(folder);
    fs.rmSync(keyFile);
    const next = replaceLostKey(folder);
    expect(next.root).toMatchObject({ version: 2, threshold: 1 });
    expect(next.root.keys.map(({ keyId }) => keyId)).toEqual([signingKeyOf(folder).keyId]);
    expect(next.root.keys).not.toEqual(made.root.keys);
    // Agents that run go on with what they have pinned.
    expect(pinnedTrust(folder, made.digest)).toEqual(made);
    expect(pinnedTrust(folder, next.digest)).toEqual(next);
    expect(fs.readdirSync(folder).sort()).toEqual(["root-1.json", "root.json", "signing.key"]);
    fs.rmSync(keyFile);
    expect(replaceLostKey(folder).root.version).toBe(3);
    expect(pinnedTrust(folder, next.digest)).toEqual(next);
  });

  test("is not one that is there", () => {
    ensureTrust(folder);
    expect(failure(() => replaceLostKey(folder)).code).toBe("signingKeyThere");
    expect(readTrust(folder)?.root.version).toBe(1);
  });

  test("is not replaced where nothing was ever made", () => {
    expect(failure(() => replaceLostKey(folder)).code).toBe("trustMissing");
    expect(fs.existsSync(folder)).toBe(false);
  });

  test("is replaced once by several at once", async () => {
    ensureTrust(folder);
    fs.rmSync(keyFile);
    // Those that come after the first one's root are told that nothing is lost, and answer with what is there.
    const call = `(() => { try { return trust.replaceLostKey(${JSON.stringify(folder)}); } catch (error) {
      if (error.code === "signingKeyThere") return trust.readTrust(${JSON.stringify(folder)});
      throw error; } })()`;
    const digests = await inProcesses(call);
    expect(new Set(digests)).toEqual(new Set([readTrust(folder)?.digest]));
    expect(readTrust(folder)?.root.version).toBe(2);
    expect(signingKeyOf(folder).keyId).toBe(readTrust(folder)?.root.keys[0]?.keyId);
  });

  test("is taken up where a killed call left off", () => {
    const made = ensureTrust(folder);
    fs.rmSync(keyFile);
    const next = replaceLostKey(folder);
    // As if it had been killed after the key, and after the old root was kept.
    for (const kept of [false, true]) {
      put(rootFile, fs.readFileSync(join(folder, "root-1.json")));
      if (!kept) fs.rmSync(join(folder, "root-1.json"));
      expect(failure(() => signingKeyOf(folder)).code).toBe("signingKeyNotTrusted");
      expect(replaceLostKey(folder)).toEqual(next);
      expect(pinnedTrust(folder, made.digest)).toEqual(made);
    }
  });
});

describe("what is wrong with a file is told, and nothing is replaced", () => {
  const other = makeKey();
  const foreign = trustRoot({ version: 1, threshold: 1, keys: [other.publicKey], expires: null });

  test.each([
    ["emptied", ""],
    ["no JSON", "{"],
    ["another document", "{}\n"],
    ["without a signature", envelopeBytes(signRoot(foreign, []))],
    ["signed by somebody else", envelopeBytes(signRoot(foreign, [makeKey()]))],
    ["giant", "x".repeat(300 * 1024)],
  ])("a root that is %s", (_, content) => {
    ensureTrust(folder);
    put(rootFile, content);
    for (const call of [readTrust, ensureTrust, signingKeyOf, replaceLostKey]) {
      const { code, message } = failure(() => call(folder));
      expect(code).toBe("trustRootDamaged");
      expect(message).toContain(rootFile);
    }
    expect(fs.readFileSync(rootFile)).toEqual(Buffer.from(content));
  });

  test("a root that is a folder, a link or a pipe", () => {
    ensureTrust(folder);
    fs.renameSync(rootFile, join(folder, "elsewhere"));
    fs.mkdirSync(rootFile);
    expect(failure(() => readTrust(folder)).code).toBe("trustRootDamaged");
    fs.rmdirSync(rootFile);
    fs.symlinkSync("elsewhere", rootFile);
    expect(failure(() => readTrust(folder)).code).toBe("trustUnreadable");
  });

  test("a root that is gone while one of before is there", () => {
    ensureTrust(folder);
    fs.rmSync(keyFile);
    replaceLostKey(folder);
    fs.rmSync(rootFile);
    for (const call of [readTrust, ensureTrust]) expect(failure(() => call(folder)).code).toBe("trustRootLost");
    expect(fs.existsSync(rootFile)).toBe(false);
  });

  test("a folder that cannot be made", () => {
    // As where nothing may be written; and whoever runs this may be allowed everything.
    const nowhere = "/dev/null/trust";
    const { code, message } = failure(() => ensureTrust(nowhere));
    expect(code).toBe("trustUnreadable");
    expect(message).toContain(nowhere);
  });

  test("what others can write, or what belongs to them", () => {
    ensureTrust(folder);
    for (const path of [rootFile, folder]) {
      const mode = modeOf(path);
      fs.chmodSync(path, mode | 0o020);
      expect(failure(() => readTrust(folder))).toMatchObject({
        code: "trustOpenToOthers",
        message: expect.stringContaining(path) as string,
      });
      fs.chmodSync(path, mode);
    }
    fs.chmodSync(keyFile, 0o640);
    expect(failure(() => signingKeyOf(folder)).code).toBe("signingKeyOpenToOthers");
    expect(readTrust(folder)).not.toBeNull();
    const euid = vi.spyOn(process as Required<Pick<typeof process, "geteuid">>, "geteuid").mockReturnValue(4_242);
    try {
      expect(failure(() => readTrust(folder)).code).toBe("trustOtherOwner");
    } finally {
      euid.mockRestore();
    }
  });

  test("a key that is emptied, cut, or another one", () => {
    ensureTrust(folder);
    const pem = fs.readFileSync(keyFile, "utf8");
    put(keyFile, "");
    expect(failure(() => signingKeyOf(folder)).code).toBe("signingKeyEmpty");
    expect(failure(() => replaceLostKey(folder)).code).toBe("signingKeyEmpty");
    put(keyFile, pem.slice(0, 70));
    expect(failure(() => signingKeyOf(folder)).code).toBe("signingKeyUnknownForm");
    put(keyFile, "7".repeat(64));
    expect(failure(() => signingKeyOf(folder)).code).toBe("signingKeyNotTrusted");
    put(keyFile, pem);
    expect(signingKeyOf(folder).keyId).toBe(readTrust(folder)?.root.keys[0]?.keyId);
  });
});
