/** Images that no node has: each is unlike any other, and what is built can be for another machine than this. */
import { randomBytes } from "node:crypto";
import { agentImage } from "../up/images.ts";
import type { ImageSpec } from "../up/oci-image.ts";
import { pushImage } from "../up/oci-image.ts";

/** The agent's image with something in it that no other has. */
export function uniqueImage(changes: Partial<ImageSpec> = {}): ImageSpec {
  const image = { ...agentImage(), ...changes };
  return { ...image, files: [...image.files, { path: "etc/unique", content: randomBytes(32), mode: 0o644 }] };
}

/** Pushes one under the tag 1, and returns its digest. `registry` is host and port. */
export function pushUnique(registry: string, repository: string, changes: Partial<ImageSpec> = {}): Promise<string> {
  return pushImage(registry, repository, "1", uniqueImage(changes));
}

/** An image of which every program is for a machine that nobody has here: a header alone, since no kernel reads on. */
export function foreignFiles(): ImageSpec["files"] {
  const header = Buffer.alloc(64);
  header.write("\u007fELF", 0, "latin1");
  // 64 bits, little-endian, version 1; a program for the Alpha, which no kernel of today runs on.
  header.set([2, 1, 1], 4);
  header.writeUInt16LE(2, 16);
  header.writeUInt16LE(0x9026, 18);
  return [{ path: "bin/sh", content: header, mode: 0o755 }];
}

/** Puts an index of one image that is there under the tag 2, as an image for this architecture. */
export async function pushIndex(
  registry: string,
  repository: string,
  digest: string,
  architecture: string,
): Promise<void> {
  const { size } = await manifestOf(registry, repository, digest);
  const manifests = [{ mediaType: manifestType, digest, size, platform: { os: "linux", architecture } }];
  await putManifest(registry, repository, "application/vnd.oci.image.index.v1+json", { manifests });
}

/** Puts an image that is there under the tag 2, with its layer declared as of another kind. */
export async function pushRelabelled(
  registry: string,
  repository: string,
  digest: string,
  kind: string,
): Promise<void> {
  const { manifest } = await manifestOf(registry, repository, digest);
  const layers = manifest.layers.map((layer) => ({ ...layer, mediaType: kind }));
  await putManifest(registry, repository, manifestType, { ...manifest, layers });
}

const manifestType = "application/vnd.oci.image.manifest.v1+json";

interface Manifest {
  readonly layers: readonly object[];
}

async function manifestOf(
  registry: string,
  repository: string,
  digest: string,
): Promise<{ readonly manifest: Manifest; readonly size: number }> {
  const url = `http://${registry}/v2/${repository}/manifests/${digest}`;
  const text = await (await fetch(url, { headers: { accept: manifestType } })).text();
  return { manifest: JSON.parse(text) as Manifest, size: Buffer.byteLength(text) };
}

async function putManifest(registry: string, repository: string, mediaType: string, content: object): Promise<void> {
  const body = JSON.stringify({ schemaVersion: 2, mediaType, ...content });
  const url = `http://${registry}/v2/${repository}/manifests/2`;
  const answer = await fetch(url, { method: "PUT", headers: { "content-type": mediaType }, body });
  if (answer.status !== 201) throw new Error(`the registry does not take the manifest: ${answer.status}`);
}

/** A repository that no run had before. */
export function freshName(what: string): string {
  return `${what}-${randomBytes(4).toString("hex")}`;
}
