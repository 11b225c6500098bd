/** Builds an image from files, without any tool for it, and puts it into a registry (OCI image and distribution specifications). */
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";

type ImageFile =
  /** Paths go without the slash in front. */
  | { readonly path: string; readonly content: Uint8Array; readonly mode: number }
  /** A symbolic link. */
  | { readonly path: string; readonly target: string }
  /** A folder that is made as other than those that files are in. */
  | { readonly path: string; readonly folderMode: number };

export interface ImageSpec {
  readonly files: readonly ImageFile[];
  /** A layer below that images share. It is large, and packing it would take longer than anything else. */
  readonly base?: readonly ImageFile[];
  readonly entrypoint: readonly string[];
  /** Default: a PATH of `/bin`. */
  readonly env?: readonly string[];
  readonly architecture?: string;
}

/** This machine's, as images call it. */
export const ownArchitecture: string = { x64: "amd64" }[process.arch as string] ?? process.arch;

interface Blob {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly bytes: Uint8Array;
}

/** Pushes it and returns the digest of its manifest. `registry` is host and port, spoken to without TLS. */
export async function pushImage(registry: string, name: string, tag: string, image: ImageSpec): Promise<string> {
  const layer = layerOf(image.files);
  const packed = blob("application/vnd.oci.image.layer.v1.tar+gzip", gzipSync(layer));
  const base = image.base === undefined ? [] : [blob("application/vnd.oci.image.layer.v1.tar", layerOf(image.base))];
  const config = jsonBlob("application/vnd.oci.image.config.v1+json", {
    architecture: image.architecture ?? ownArchitecture,
    os: "linux",
    config: { Entrypoint: image.entrypoint, Env: image.env ?? ["PATH=/bin"] },
    rootfs: { type: "layers", diff_ids: [...base.map(({ digest }) => digest), digestOf(layer)] },
  });
  const manifest = jsonBlob("application/vnd.oci.image.manifest.v1+json", {
    schemaVersion: 2,
    mediaType: "application/vnd.oci.image.manifest.v1+json",
    config: described(config),
    layers: [...base, packed].map(described),
  });
  const url = `http://${registry}/v2/${name}`;
  for (const part of [...base, packed, config]) await pushBlob(url, part);
  await put(`${url}/manifests/${tag}`, manifest);
  return manifest.digest;
}

async function pushBlob(base: string, part: Blob): Promise<void> {
  if ((await fetch(`${base}/blobs/${part.digest}`, { method: "HEAD" })).ok) return;
  const begun = await fetch(`${base}/blobs/uploads/`, { method: "POST" });
  const location = begun.headers.get("location");
  if (begun.status !== 202 || location === null) throw new Error(`the registry takes no upload: ${begun.status}`);
  const url = new URL(location, base);
  url.searchParams.set("digest", part.digest);
  await put(url.href, { ...part, mediaType: "application/octet-stream" });
}

async function put(url: string, { mediaType, bytes }: Blob): Promise<void> {
  const answer = await fetch(url, { method: "PUT", headers: { "Content-Type": mediaType }, body: Buffer.from(bytes) });
  if (answer.status !== 201) throw new Error(`the registry does not take it: ${answer.status} ${await answer.text()}`);
}

function blob(mediaType: string, bytes: Uint8Array): Blob {
  return { mediaType, digest: digestOf(bytes), size: bytes.length, bytes };
}

function jsonBlob(mediaType: string, value: unknown): Blob {
  return blob(mediaType, Buffer.from(JSON.stringify(value)));
}

function described({ mediaType, digest, size }: Blob): unknown {
  return { mediaType, digest, size };
}

function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

/** A tar archive (POSIX ustar) of the files and the folders that they are in, always the same for the same files. */
function layerOf(files: readonly ImageFile[]): Buffer {
  const folders = new Set(files.flatMap(({ path }) => foldersOf(path)));
  const parts: Uint8Array[] = [...folders].sort().map((path) => header(`${path}/`, 0, 0o755, "5"));
  for (const file of files) {
    if ("target" in file) {
      parts.push(header(file.path, 0, 0o777, "2", file.target));
      continue;
    }
    if ("folderMode" in file) {
      parts.push(header(`${file.path}/`, 0, file.folderMode, "5"));
      continue;
    }
    const padding = Buffer.alloc((512 - (file.content.length % 512)) % 512);
    parts.push(header(file.path, file.content.length, file.mode, "0"), file.content, padding);
  }
  return Buffer.concat([...parts, Buffer.alloc(1024)]);
}

function foldersOf(path: string): string[] {
  const names = path.split("/").slice(0, -1);
  return names.map((_, index) => names.slice(0, index + 1).join("/"));
}

function header(path: string, size: number, mode: number, type: string, target = ""): Buffer {
  const block = Buffer.alloc(512);
  const octal = (value: number, at: number, length: number): void =>
    void block.write(`${value.toString(8).padStart(length - 1, "0")}\0`, at);
  block.write(path, 0);
  octal(mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(0, 136, 12);
  block.write(type, 156);
  block.write(target, 157);
  block.write("ustar\u000000", 257);
  // The sum counts its own eight bytes as blanks.
  block.fill(" ", 148, 156);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return block;
}
