/** What nodes are told of a registry: read by their runtime at each pull. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Layout } from "../up/layout.ts";
import { nodeLayout } from "../up/layout.ts";

/** Where a registry is in truth, and whom to trust there. */
export interface Whereabouts {
  readonly server: string;
  /** A path. */
  readonly authority?: string;
}

const mostNodes = 9;

/** Tells every node of a registry by the name that image references have for it; the result takes it back. */
export function tellNodes(layout: Layout, host: string, { server, authority }: Whereabouts): () => void {
  const trusted = authority === undefined ? "" : `ca = "${authority}"\n`;
  // Without a host beside it, older runtimes pass over the server.
  const lines = `server = "${server}"\n${trusted}[host."${server}"]\ncapabilities = ["pull", "resolve"]\n${trusted}`;
  const folders = registryFolders(layout).map((folder) => join(folder, host));
  for (const folder of folders) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "hosts.toml"), lines);
  }
  return () => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  };
}

function registryFolders(layout: Layout): string[] {
  return Array.from({ length: mostNodes }, (_, index) => join(nodeLayout(layout, index + 1).dir, "registries")).filter(
    (folder) => existsSync(folder),
  );
}

export interface OwnAuthority {
  readonly certificate: Buffer;
  readonly key: Buffer;
  /** Of the authority's certificate. */
  readonly path: string;
  remove(): void;
}

/** A certificate for an address by an authority that nobody knows: it signs itself. Its folder is where nodes can read it. */
export function ownAuthority(layout: Layout, address: string): OwnAuthority {
  const dir = mkdtempSync(join(layout.dir, "authority-"));
  const at = (name: string): string => join(dir, name);
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  const named = ["-subj", "/CN=moorage-test-registry", "-addext", `subjectAltName=IP:${address}`];
  execFileSync("openssl", ["req", "-x509", ...curve, ...named, "-keyout", at("key"), "-out", at("crt")], {
    stdio: "ignore",
  });
  return {
    certificate: readFileSync(at("crt")),
    key: readFileSync(at("key")),
    path: at("crt"),
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}
