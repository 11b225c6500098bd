/** Keys and certificates of the test cluster, its tokens, and the kubeconfig of each who is known. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Layout } from "./layout.ts";
import { everyNode, nodeToken, tokens } from "./layout.ts";
import { run } from "./run.ts";

export interface Pki {
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
  readonly tokens: string;
  readonly signingKey: string;
  readonly signingPublic: string;
}

export function pkiPaths({ dir }: Layout): Pki {
  const at = (name: string): string => join(dir, "pki", name);
  return {
    authority: at("authority.crt"),
    certificate: at("api.crt"),
    key: at("api.key"),
    tokens: at("tokens.csv"),
    signingKey: at("service-accounts.key"),
    signingPublic: at("service-accounts.pub"),
  };
}

/** One certificate that signs itself is authority and server at once; tokens say who is who. */
export function makePki(layout: Layout): Pki {
  const paths = pkiPaths(layout);
  mkdirSync(join(layout.dir, "pki"), { recursive: true });
  const names = [
    "IP:127.0.0.1",
    `IP:${layout.gateway}`,
    `IP:${layout.serviceAddress}`,
    "DNS:localhost",
    "DNS:kubernetes.default.svc",
  ];
  signSelf({ key: paths.key, certificate: paths.authority }, names);
  writeFileSync(paths.certificate, readFileSync(paths.authority));
  run("openssl", "genrsa", "-out", paths.signingKey, "2048");
  run("openssl", "rsa", "-in", paths.signingKey, "-pubout", "-out", paths.signingPublic);
  const lines = [
    `${tokens.admin},admin,admin,"system:masters"`,
    `${tokens.nobody},nobody,nobody,"team"`,
    ...everyNode(layout).map(({ name }) => `${nodeToken(name)},system:node:${name},${name},"system:nodes"`),
  ];
  writeFileSync(paths.tokens, `${lines.join("\n")}\n`, { mode: 0o600 });
  return paths;
}

/** Writes a key, and a certificate for these names and addresses that signs itself. */
export function signSelf(files: Pick<Pki, "key" | "certificate">, names: readonly string[]): void {
  const made = ["-keyout", files.key, "-out", files.certificate];
  const named = ["-subj", "/CN=moorage-test", "-addext", `subjectAltName=${names.join(",")}`];
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30"];
  run("openssl", "req", "-x509", ...curve, ...named, ...made);
}

/** Writes a kubeconfig and returns its path. */
export function writeKubeconfig(layout: Layout, name: string, token: string, host = "127.0.0.1"): string {
  const path = join(layout.dir, `${name}.kubeconfig`);
  const authority = readFileSync(pkiPaths(layout).authority).toString("base64");
  const config = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "test",
    clusters: [
      {
        name: "test",
        cluster: { server: `https://${host}:${layout.apiPort}`, "certificate-authority-data": authority },
      },
    ],
    users: [{ name, user: { token } }],
    contexts: [{ name: "test", context: { cluster: "test", user: name } }],
  };
  writeFileSync(path, JSON.stringify(config), { mode: 0o600 });
  return path;
}
