/** A certificate of a test's own by an authority that nobody knows: it signs itself. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Layout } from "./up/layout.ts";
import { signSelf } from "./up/pki.ts";

export interface OwnAuthority {
  readonly certificate: Buffer;
  readonly key: Buffer;
  /** Of the authority's certificate. */
  readonly path: string;
  remove(): void;
}

/** For an address. Its folder is where nodes can read it. */
export function ownAuthority(layout: Layout, address: string): OwnAuthority {
  const dir = mkdtempSync(join(layout.dir, "authority-"));
  const files = { key: join(dir, "key"), certificate: join(dir, "crt") };
  signSelf(files, [`IP:${address}`]);
  return {
    certificate: readFileSync(files.certificate),
    key: readFileSync(files.key),
    path: files.certificate,
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}
