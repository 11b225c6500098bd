/** Credentials for the test cluster that end when a test wants them to: certificates by its authority, and tokens by its own signing key. */
import { sign } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Layout } from "./up/layout.ts";
import { pkiPaths } from "./up/pki.ts";
import { run } from "./up/run.ts";

export interface CertificateFiles {
  readonly certificate: string;
  readonly key: string;
}

/** Written below `dir`. `days` -1: it was over a day ago. */
export function makeCertificate(
  layout: Layout,
  dir: string,
  subject: string,
  days: number,
  extensions = "",
): CertificateFiles {
  const { authority, key: authorityKey } = pkiPaths(layout);
  const at = (name: string): string => join(dir, name);
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const named = extensions === "" ? [] : ["-addext", extensions];
  run("openssl", "req", "-new", ...curve, "-subj", subject, ...named, "-keyout", at("key"), "-out", at("request"));
  const signer = ["-CA", authority, "-CAkey", authorityKey, "-CAserial", at("serial"), "-CAcreateserial"];
  const copied = ["-copy_extensions", "copy"];
  run("openssl", "x509", "-req", "-in", at("request"), ...signer, ...copied, "-days", String(days), "-out", at("crt"));
  return { certificate: at("crt"), key: at("key") };
}

/** Milliseconds after their end for which the API server still takes tokens of service accounts: clocks differ. */
const leewayMs = 60_000;

/** A token of a service account as the API server itself makes them, taken until `end` (milliseconds since 1970), and for ten seconds more where it remembers it. */
export function makeToken(
  layout: Layout,
  account: { readonly namespace: string; readonly name: string; readonly uid: string },
  end: number,
): string {
  const { namespace, name, uid } = account;
  const issuer = "https://kubernetes.default.svc";
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    iss: issuer,
    aud: [issuer],
    sub: `system:serviceaccount:${namespace}:${name}`,
    iat: now - 3_600,
    nbf: now - 3_600,
    exp: Math.floor((end - leewayMs) / 1000),
    "kubernetes.io": { namespace, serviceaccount: { name, uid } },
  };
  const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const signed = `${encoded({ alg: "RS256" })}.${encoded(claims)}`;
  const signature = sign("sha256", Buffer.from(signed), readFileSync(pkiPaths(layout).signingKey));
  return `${signed}.${signature.toString("base64url")}`;
}
