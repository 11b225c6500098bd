/** What nodes are told of a registry: read by their runtime at each pull. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Layout } from "../up/layout.ts";
import { everyNode } from "../up/layout.ts";

/** Where a registry is in truth, and whom to trust there. */
export interface Whereabouts {
  readonly server: string;
  /** A path. */
  readonly authority?: string;
}

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
  return everyNode(layout)
    .map(({ dir }) => join(dir, "registries"))
    .filter((folder) => existsSync(folder));
}
