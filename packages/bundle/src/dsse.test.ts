import { spawnSync } from "node:child_process";
import { createPublicKey, verify } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { publicKeyPem } from "@moorage/keys";
import { describe, expect, test } from "vitest";
import { BundleError } from "./bundle-error.ts";
import {
  addSignatures,
  envelopeBytes,
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
    expect(Buffer.from(preAuthenticationEncoding("", new Uint8Array())).toString()).toBe("DSSEv1 0  0 ");
  });
});

test("openssl verifies what we sign", () => {
  const folder = mkdtempSync(join(tmpdir(), "dsse-"));
  try {
    const key = makeKey();
    const { payloadType, payload, signatures } = signEnvelope("text/plain", Buffer.from("content"), [key]);
    writeFileSync(join(folder, "key"), publicKeyPem(key.publicKey));
    writeFileSync(join(folder, "message"), preAuthenticationEncoding(payloadType, payload));
    writeFileSync(join(folder, "signature"), signatures[0]!.signature);
    const args = ["pkeyutl", "-verify", "-pubin", "-inkey", "key", "-rawin", "-in", "message", "-sigfile", "signature"];
    expect(spawnSync("openssl", args, { cwd: folder, encoding: "utf8" }).stdout).toContain("Verified Successfully");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
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

test("both alphabets of Base64 are read, and nothing that is none", () => {
  const envelope = (payload: string): Uint8Array =>
    Buffer.from(JSON.stringify({ payloadType: "t", payload, signatures: [] }));
  for (const payload of ["+/8=", "-_8=", "-_8"])
    expect(Buffer.from(parseEnvelope(envelope(payload)).payload).toString("hex")).toBe("fbff");
  for (const payload of ["+/8=\n", "a", "+/9=", "....", "+/8=+/8="])
    expect(() => parseEnvelope(envelope(payload))).toThrow(BundleError);
});
