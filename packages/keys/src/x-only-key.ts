/** The x-only public key of a secp256k1 secret key (BIP 340): by Node's own curve, and where that was built without it by the library's. */
import { createECDH } from "node:crypto";

const curve = "secp256k1";
const coordinateBytes = 32;

/** 32 bytes, from 32 bytes that are a key. */
export async function xOnlyPublicKey(secret: Uint8Array): Promise<Uint8Array> {
  return byNode(secret) ?? (await byLibrary(secret));
}

/** null: this Node's OpenSSL does not have the curve. Three hundred times quicker than to load the library. */
function byNode(secret: Uint8Array): Uint8Array | null {
  try {
    const pair = createECDH(curve);
    pair.setPrivateKey(secret);
    // A byte for the parity of y, and x.
    return pair.getPublicKey(null, "compressed").subarray(1, 1 + coordinateBytes);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ERR_CRYPTO_INVALID_CURVE") return null;
    throw error;
  }
}

/** Loaded when it is needed. */
export async function byLibrary(secret: Uint8Array): Promise<Uint8Array> {
  const { schnorr } = await import("@noble/curves/secp256k1.js");
  return schnorr.getPublicKey(secret);
}
