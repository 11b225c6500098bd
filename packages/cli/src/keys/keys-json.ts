/** The trust of this machine for programs and for people: public parts alone. */
import { join } from "node:path";
import type { PinnedRoot } from "@moorage/bundle";
import { signingKeyOf } from "@moorage/bundle";
import { reportOf } from "../errors/report.ts";

/** The key of this machine: whether it signs, and if not, why. */
export type KeyHere =
  | { readonly state: "there"; readonly keyId: string; readonly fault: null }
  | { readonly state: "lost" | "unusable"; readonly keyId: null; readonly fault: string };

export function rootJson({ root, digest }: PinnedRoot): object {
  const { version, threshold, expires } = root;
  return { version, threshold, digest, expires };
}

/** Never throws for what is wrong with the key: it is what is told. */
export function keyHere(folder: string): KeyHere {
  try {
    return { state: "there", keyId: signingKeyOf(folder).keyId, fault: null };
  } catch (error) {
    const { code, message } = reportOf(error);
    if (code === "internal") throw error;
    return { state: code === "signingKeyLost" ? "lost" : "unusable", keyId: null, fault: message };
  }
}

export function keysJson(folder: string, trust: PinnedRoot, here: KeyHere): object {
  const keys = trust.root.keys.map(({ keyId, publicKey }) => ({ keyId, publicKey }));
  return { folder, root: rootJson(trust), keys, here };
}

export function keysLines(folder: string, { root, digest }: PinnedRoot, here: KeyHere): string[] {
  const { version, threshold, keys, expires } = root;
  return [
    `trust root  version ${version}, ${threshold} of ${keys.length} must sign${expires === null ? "" : `, expires ${expires}`}`,
    `pin         ${digest}`,
    ...keys.flatMap(({ keyId, publicKey }) => [
      `trusts      ${keyId}${keyId === here.keyId ? " (of this machine)" : ""}`,
      `  public    ${publicKey}`,
    ]),
    here.state === "there" ? `signs with  ${join(folder, "signing.key")}` : `cannot sign: ${here.fault}`,
  ];
}
