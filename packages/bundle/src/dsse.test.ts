import { spawnSync } from "node:child_process";
import { createPublicKey, verify } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { keyIdOf, publicKeyPem, readPublicKey, readSigningKey } from "@moorage/keys";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { BundleError } from "./bundle-error.ts";
import {
  addSignatures,
  envelopeBytes,
  envelopeLimits,
  parseEnvelope,
  preAuthenticationEncoding,
  signEnvelope,
  signersOf,
} from "./dsse.ts";
import { makeKey } from "./signed-bundle.fixture.ts";

describe("the test vector of the DSSE protocol", () => {
  const coordinate = (value: bigint): string =>
    Buffer.from(value.toString(16).padStart(64, "0"), "hex").toString("base64url");
  const published = createPublicKey({
    format: "jwk",
    key: {
      kty: "EC",
      crv: "P-256",
      x: coordinate(46950820868899156662930047687818585632848591499744589407958293238635476079160n),
      y: coordinate(5640078356564379163099075877009565129882514886557779369047442380624545832820n),
    },
  });
  const sig = "A3JqsQGtVsJ2O2xqrI5IcnXip5GToJ3F+FnZ+O88SjtR6rDAajabZKciJTfUiHqJPcIAriEGAHTVeCUjW2JIZA==";
  const type = "http://example.com/HelloWorld";

  test("the encoding is the published one, and the published signature holds over it", () => {
    const encoding = preAuthenticationEncoding(type, Buffer.from("hello world"));
    expect(Buffer.from(encoding).toString()).toBe("DSSEv1 29 http://example.com/HelloWorld 11 hello world");
    const key = { key: published, dsaEncoding: "ieee-p1363" as const };
    expect(verify("sha256", encoding, key, Buffer.from(sig, "base64"))).toBe(true);
  });

  test("the published envelope is read, with and without a key id", () => {
    for (const keyid of [{}, { keyid: "66301bbf" }, { keyid: "" }]) {
      const json = { payload: "aGVsbG8gd29ybGQ=", payloadType: type, signatures: [{ ...keyid, sig }] };
      const envelope = parseEnvelope(Buffer.from(JSON.stringify(json)));
      expect(Buffer.from(envelope.payload).toString()).toBe("hello world");
      expect(Buffer.from(envelope.signatures[0]!.signature).toString("base64")).toBe(sig);
      expect(envelope.signatures[0]!.keyId).toBe(keyid.keyid === "66301bbf" ? "66301bbf" : null);
    }
  });

  test("lengths are those of bytes", () => {
    const encoding = preAuthenticationEncoding("\u00e9", Buffer.from("\u{1f600}"));
    expect(Buffer.from(encoding).toString()).toBe("DSSEv1 2 \u00e9 4 \u{1f600}");
  });

  test.each([
    ["", "", "DSSEv1 0  0 "],
    [type, "hello world", "DSSEv1 29 http://example.com/HelloWorld 11 hello world"],
    [type, "\u0ca0", "DSSEv1 29 http://example.com/HelloWorld 3 \u0ca0"],
  ])("of %j and %j, as its own implementation tests it", (payloadType, payload, encoding) => {
    expect(Buffer.from(preAuthenticationEncoding(payloadType, Buffer.from(payload))).toString()).toBe(encoding);
  });
});

/** Ed25519 over whole messages came with OpenSSL 3: put one first on the PATH where the system's own is older, or another. */
const openssl = /^OpenSSL ([3-9]|\d\d)\./.test(spawnSync("openssl", ["version"], { encoding: "utf8" }).stdout ?? "");

describe.skipIf(!openssl)("with the openssl command", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "dsse-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const run = (...args: readonly string[]) => spawnSync("openssl", args, { cwd: folder, encoding: "utf8" });
  const verified = (message: Uint8Array, signature: Uint8Array): boolean => {
    writeFileSync(join(folder, "message"), message);
    writeFileSync(join(folder, "signature"), signature);
    const files = ["-in", "message", "-sigfile", "signature"];
    return run("pkeyutl", "-verify", "-pubin", "-inkey", "public", "-rawin", ...files).status === 0;
  };

  test("it verifies what we sign, and nothing else", () => {
    const key = makeKey();
    const { payloadType, payload, signatures } = signEnvelope("text/plain", Buffer.from("content"), [key]);
    writeFileSync(join(folder, "public"), publicKeyPem(key.publicKey));
    const encoding = preAuthenticationEncoding(payloadType, payload);
    const { signature } = signatures[0]!;
    expect(verified(encoding, signature)).toBe(true);
    expect(verified(payload, signature)).toBe(false);
    expect(verified(preAuthenticationEncoding("text/html", payload), signature)).toBe(false);
    expect(verified(encoding, signature.with(0, signature[0]! ^ 1))).toBe(false);
  });

  test("what it signs, with a key of its own, we verify", () => {
    expect(run("genpkey", "-algorithm", "ed25519", "-out", "private").status).toBe(0);
    const der = spawnSync("openssl", ["pkey", "-in", "private", "-pubout", "-outform", "DER"], { cwd: folder }).stdout;
    const publicKey = readPublicKey(der.subarray(-32).toString("hex"));
    const unsigned = { payloadType: "text/plain", payload: Buffer.from("content"), signatures: [] };
    writeFileSync(join(folder, "message"), preAuthenticationEncoding(unsigned.payloadType, unsigned.payload));
    const files = ["-in", "message", "-out", "signature"];
    expect(run("pkeyutl", "-sign", "-inkey", "private", "-rawin", ...files).status).toBe(0);
    const signature = readFileSync(join(folder, "signature"));
    const envelope = parseEnvelope(envelopeBytes({ ...unsigned, signatures: [{ keyId: null, signature }] }));
    expect([...signersOf(envelope, [makeKey().publicKey, publicKey])]).toEqual([keyIdOf(publicKey)]);
    expect(signersOf({ ...envelope, payload: Buffer.from("Content") }, [publicKey]).size).toBe(0);
    // The same key in our hands makes the same signature.
    const ours = readSigningKey(readFileSync(join(folder, "private"), "utf8"));
    expect(Buffer.from(signEnvelope("text/plain", unsigned.payload, [ours]).signatures[0]!.signature)).toEqual(
      signature,
    );
  });
});

test("signatures are added one after the other, and each key counts once", () => {
  const keys = [makeKey(), makeKey()] as const;
  const one = signEnvelope("t", Buffer.from("p"), [keys[0]]);
  const both = addSignatures(parseEnvelope(envelopeBytes(one)), [keys[0], keys[1]]);
  expect(both.signatures).toHaveLength(2);
  const publicKeys = keys.map(({ publicKey }) => publicKey);
  expect(signersOf(both, publicKeys)).toEqual(new Set(keys.map(({ keyId }) => keyId)));
  expect(signersOf({ ...both, payloadType: "u" }, publicKeys).size).toBe(0);
  expect(signersOf({ ...both, payload: Buffer.from("q") }, publicKeys).size).toBe(0);
});

test("T78: what stands under a key's name and is not its signature does not keep it from signing", () => {
  const [key, other] = [makeKey(), makeKey()];
  const envelope = signEnvelope("t", Buffer.from("p"), [other]);
  const { signature } = envelope.signatures[0]!;
  for (const bad of [signature, new Uint8Array(), new Uint8Array(64)]) {
    const signatures = [...envelope.signatures, { keyId: key.keyId, signature: bad }];
    const signed = addSignatures({ ...envelope, signatures }, [key, key]);
    expect(signed.signatures).toHaveLength(2);
    expect(signersOf(signed, [key.publicKey, other.publicKey]).size).toBe(2);
  }
  // Without its name it is the key's all the same.
  const unnamed = signEnvelope("t", Buffer.from("p"), [key]).signatures.map((one) => ({ ...one, keyId: null }));
  expect(addSignatures({ ...envelope, signatures: unnamed }, [key]).signatures).toEqual(unnamed);
});

test("an envelope that nobody would read is not made", () => {
  const payload = Buffer.alloc(envelopeLimits.bytes * 0.75);
  expect(() => envelopeBytes({ payloadType: "t", payload, signatures: [] })).toThrow(
    expect.objectContaining({ code: "envelopeTooLarge" }),
  );
});

test("both alphabets of Base64 are read, and nothing that is none", () => {
  const envelope = (payload: string): Uint8Array =>
    Buffer.from(JSON.stringify({ payloadType: "t", payload, signatures: [] }));
  for (const payload of ["+/8=", "-_8=", "-_8"])
    expect(Buffer.from(parseEnvelope(envelope(payload)).payload).toString("hex")).toBe("fbff");
  for (const payload of ["+/8=\n", "a", "+/9=", "....", "+/8=+/8="])
    expect(() => parseEnvelope(envelope(payload))).toThrow(BundleError);
});
