import { spawnSync } from "node:child_process";
import { bech32 } from "@scure/base";
import { describe, expect, test } from "vitest";
import { keyIdentity } from "./identity-key.ts";
import { KeyError } from "./key-error.ts";

// The example of NIP-19 and its public key, and the first vectors of BIP 340.
const nsec = "nsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5";
const hex = "67dea2ed018072d675f5415ecfaed7d2597555e202d85b3d65ea4e58d2d92ffa";
const identity = "7e7e9c42a91bfef19fa929e5fda1b72e0ebc1a4c1141673e2794234d86addf4e";
const order = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141";

function encode(prefix: string, bytes: Uint8Array): string {
  return bech32.encode(prefix, bech32.toWords(bytes), false);
}

async function fault(text: string): Promise<KeyError> {
  const error: unknown = await keyIdentity(text).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(KeyError);
  return error as KeyError;
}

describe("a key gives its identity", () => {
  test.each([
    ["nsec1…", nsec],
    ["nsec1… in capitals", nsec.toUpperCase()],
    ["64 hex digits", hex],
    ["64 hex digits in capitals", hex.toUpperCase()],
    ["with white space around it, as files have it", ` \n${nsec}\r\n`],
  ])("%s", async (_form, text) => {
    expect(await keyIdentity(text)).toBe(identity);
  });

  test.each([
    [
      "0000000000000000000000000000000000000000000000000000000000000003",
      "f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9",
    ],
    [
      "b7e151628aed2a6abf7158809cf4f3c762e7160f38b4da56a784d9045190cfef",
      "dff1d77f2a671c5f36183726db2341be58feae1da2deced843240f7b502ba659",
    ],
    [
      "c90fdaa22168c234c4c6628b80dc1cd129024e088a67cc74020bbea63b14e5c9",
      "dd308afec5777e13121fa72b9cc1b7cc0139715309b086c960e18fd969774eb8",
    ],
  ])("BIP 340: %s", async (key, expected) => {
    expect(await keyIdentity(key)).toBe(expected);
  });

  test("the greatest key is the order less one", async () => {
    expect(await keyIdentity(order.replace(/41$/, "40"))).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe("what is no key has an error of its own, which holds no part of it", () => {
  const bytes = Buffer.from(hex, "hex");
  test.each([
    ["keyEmpty", ""],
    ["keyEmpty", " \n"],
    ["keyIsPublic", encode("npub", bytes)],
    ["keyIsPublic", encode("npub", bytes).toUpperCase()],
    ["keyIsEncrypted", `ncryptsec1${"q".repeat(150)}`],
    ["keyWrongKind", encode("note", bytes)],
    ["keyWrongKind", encode("nprofile", bytes)],
    ["keyMixedCase", nsec.replace("v", "V")],
    ["keyWrongCharacter", nsec.replace("v", "b")],
    ["keyWrongCharacter", hex.replace("7", "g")],
    ["keyWrongChecksum", nsec.replace("v", "w")],
    ["keyWrongChecksum", nsec.slice(0, -1)],
    ["keyWrongLength", encode("nsec", bytes.subarray(0, 31))],
    ["keyWrongLength", encode("nsec", Buffer.concat([bytes, bytes]))],
    ["keyWrongLength", hex.slice(1)],
    ["keyWrongLength", `${hex}0`],
    ["keyUnknownForm", `0x${hex}`],
    ["keyUnknownForm", "correct horse battery staple"],
    ["keyUnknownForm", `${nsec} ${nsec}`.slice(1)],
    ["keyZero", "0".repeat(64)],
    ["keyZero", encode("nsec", new Uint8Array(32))],
    ["keyOutOfRange", order],
    ["keyOutOfRange", "f".repeat(64)],
    ["keyOutOfRange", encode("nsec", Buffer.from(order, "hex"))],
  ])("%s: %s", async (code, text) => {
    const error = await fault(text);
    expect(error.code).toBe(code);
    expect(error.hint).not.toBe("");
    expect(error.cause).toBeUndefined();
    const told = `${error.message}\n${error.hint}\n${JSON.stringify(error)}`;
    const secretPart = text.trim().replace(/^n[a-z]+1/i, "");
    for (let at = 0; at + 8 <= secretPart.length; at++) expect(told).not.toContain(secretPart.slice(at, at + 8));
  });

  test("63 digits are told as that", async () => {
    expect((await fault(hex.slice(1))).message).toContain("63 hex digits");
  });
});

test("nothing is loaded that is not needed: for a name no library, for a key that of its form alone", () => {
  const loaded = spawnSync(
    process.execPath,
    [
      "--input-type=module",
      "--eval",
      `import { registerHooks } from "node:module";
       const seen = [];
       registerHooks({ load(url, context, next) { seen.push(url); return next(url, context); } });
       const { sha256, systemRandom, keyIdentity } = await import(${JSON.stringify(import.meta.resolve("./index.ts"))});
       sha256.text("a"); systemRandom.token(8);
       const before = seen.filter((url) => url.includes("noble") || url.includes("scure")).length;
       await keyIdentity("${nsec}");
       const has = (name) => seen.some((url) => url.includes(name));
       process.stdout.write(JSON.stringify({ before, form: has("scure"), curve: has("noble") }));`,
    ],
    { encoding: "utf8" },
  );
  expect(loaded.stderr).toBe("");
  expect(JSON.parse(loaded.stdout)).toEqual({ before: 0, form: true, curve: false });
});
