import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  generateSigningKey,
  keyIdOf,
  publicKeyPem,
  readPublicKey,
  readSigningKey,
  verifySignature,
} from "./signing-key.ts";
import { SigningKeyError } from "./signing-key-error.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "signing-key-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function openssl(...args: string[]): Buffer {
  const { status, stdout, stderr } = spawnSync("openssl", args, { cwd: folder });
  if (status !== 0) throw new Error(`openssl ${args.join(" ")}: ${stderr.toString()}`);
  return stdout;
}

// RFC 8032, 7.1: TEST 1 to TEST 3.
const vectors = [
  {
    seed: "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
    publicKey: "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
    message: "",
    signature:
      "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
  },
  {
    seed: "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
    publicKey: "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
    message: "72",
    signature:
      "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
  },
  {
    seed: "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
    publicKey: "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
    message: "af82",
    signature:
      "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
  },
];

test.each(vectors)("RFC 8032: $publicKey", ({ seed, publicKey, message, signature }) => {
  const key = readSigningKey(` ${seed.toUpperCase()}\n`);
  const bytes = Buffer.from(message, "hex");
  expect(key.publicKey).toBe(publicKey);
  expect(Buffer.from(key.sign(bytes)).toString("hex")).toBe(signature);
  expect(verifySignature(key.publicKey, bytes, Buffer.from(signature, "hex"))).toBe(true);
});

describe("against openssl", () => {
  test("openssl accepts what we sign, and has our key id and our public key", () => {
    const { key, pem } = generateSigningKey();
    writeFileSync(join(folder, "ours.pem"), pem, { mode: 0o600 });
    writeFileSync(join(folder, "ours.pub"), publicKeyPem(key.publicKey));
    writeFileSync(join(folder, "message"), "what is signed");
    writeFileSync(join(folder, "signature"), key.sign(Buffer.from("what is signed")));
    const verified = ["pkeyutl", "-verify", "-pubin", "-inkey", "ours.pub", "-rawin", "-in", "message"];
    expect(openssl(...verified, "-sigfile", "signature").toString()).toContain("Signature Verified Successfully");
    expect(openssl("pkey", "-in", "ours.pem", "-pubout").toString()).toBe(publicKeyPem(key.publicKey));
    writeFileSync(join(folder, "ours.der"), openssl("pkey", "-in", "ours.pem", "-pubout", "-outform", "DER"));
    expect(openssl("dgst", "-sha256", "-r", "ours.der").toString()).toMatch(new RegExp(`^${key.keyId} `));
  });

  test("we accept what openssl makes and signs", () => {
    openssl("genpkey", "-algorithm", "ed25519", "-out", "theirs.pem");
    const key = readSigningKey(readFileSync(join(folder, "theirs.pem"), "utf8"));
    expect(key.publicKey).toBe(readPublicKey(openssl("pkey", "-in", "theirs.pem", "-pubout").toString()));
    writeFileSync(join(folder, "message"), "another");
    openssl("pkeyutl", "-sign", "-inkey", "theirs.pem", "-rawin", "-in", "message", "-out", "signature");
    const signature = readFileSync(join(folder, "signature"));
    expect(verifySignature(key.publicKey, Buffer.from("another"), signature)).toBe(true);
    expect(Buffer.from(key.sign(Buffer.from("another")))).toEqual(signature);
  });

  test.each([
    ["signingKeyWrongKind", ["genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:1024"]],
    ["signingKeyWrongKind", ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]],
    ["signingKeyWrongKind", ["genpkey", "-algorithm", "X25519"]],
    ["signingKeyIsEncrypted", ["genpkey", "-algorithm", "ed25519", "-aes-256-cbc", "-pass", "pass:x"]],
  ])("%s: %j", (code, args) => {
    expect(fault(openssl(...args).toString()).code).toBe(code);
  });
});

function fault(text: string, read: (text: string) => unknown = readSigningKey): SigningKeyError {
  try {
    read(text);
  } catch (error) {
    expect(error).toBeInstanceOf(SigningKeyError);
    return error as SigningKeyError;
  }
  throw new Error("it was accepted");
}

describe("what is no signing key has an error of its own, which holds no part of it", () => {
  const { key, pem } = generateSigningKey();
  const body = pem.split("\n")[1] ?? "";
  test.each([
    ["signingKeyEmpty", " \n"],
    ["signingKeyIsPublic", publicKeyPem(key.publicKey)],
    ["signingKeyUnknownForm", body],
    ["signingKeyUnknownForm", pem.replace(body, body.slice(4))],
    ["signingKeyUnknownForm", pem.slice(0, 60)],
    ["signingKeyUnknownForm", "0".repeat(63)],
    ["signingKeyWrongKind", pem.replaceAll("PRIVATE", "OPENSSH PRIVATE")],
    ["signingKeyUnknownForm", "-----BEGIN SOMETHING-----\nAAAA\n-----END SOMETHING-----\n"],
  ])("%s", (code, text) => {
    const error = fault(text);
    expect(error.code).toBe(code);
    expect(error.hint).not.toBe("");
    const told = `${inspect(error, { depth: 9 })}${JSON.stringify(error)}`.replaceAll(/\/[^\s)]+/g, "");
    for (let at = 0; at + 10 <= body.length; at++) expect(told).not.toContain(body.slice(at, at + 10));
  });

  test("no public key", () => {
    for (const text of ["", "zz", publicKeyPem(key.publicKey).slice(0, 50), pem])
      expect(fault(text, readPublicKey).code).toBe("publicKeyUnknownForm");
  });
});

test("a key shows and serialises as its public part alone", () => {
  const { key, pem } = generateSigningKey();
  const seed = Buffer.from(pem.split("\n")[1] ?? "", "base64").subarray(-32);
  const shown = `${inspect(key, { depth: 9, showHidden: true })}${JSON.stringify(key)}`;
  expect(shown).not.toContain(seed.toString("hex"));
  expect(shown).not.toContain(seed.toString("base64"));
  expect(JSON.parse(JSON.stringify(key))).toEqual({ keyId: key.keyId, publicKey: key.publicKey });
});

test("another message, another key, a changed or a cut signature are a no, never a fault", () => {
  const { key } = generateSigningKey();
  const message = Buffer.from("message");
  const signature = key.sign(message);
  expect(verifySignature(key.publicKey, Buffer.from("massage"), signature)).toBe(false);
  expect(verifySignature(generateSigningKey().key.publicKey, message, signature)).toBe(false);
  for (let at = 0; at < signature.length; at += 7)
    expect(verifySignature(key.publicKey, message, signature.with(at, (signature[at] ?? 0) ^ 1))).toBe(false);
  expect(verifySignature(key.publicKey, message, signature.slice(1))).toBe(false);
  expect(verifySignature(key.publicKey, message, new Uint8Array())).toBe(false);
  expect(keyIdOf(key.publicKey)).toBe(key.keyId);
});
