/** The one program that is all parts of the cluster: from a given folder, from the cache, or built from its sources. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { zstdDecompressSync } from "node:zlib";

const name = "testcluster";
const sources = fileURLToPath(new URL("../binary", import.meta.url));
const release = { version: "v1.35.1", major: "1", minor: "35" };

export interface BinaryPlaces {
  /** A folder that has it, as it is or packed (`.zst`); null when none was given. */
  readonly given: string | null;
  readonly cache: string;
}

/** Its path, executable. A build takes ten minutes and more, once for each state of the sources; `say` tells of it. */
export function findBinary(places: BinaryPlaces, say: (line: string) => void): string {
  if (places.given !== null) {
    const plain = join(places.given, name);
    if (existsSync(plain)) return plain;
    const packed = `${plain}.zst`;
    if (!existsSync(packed)) throw new Error(`${places.given} has neither ${name} nor ${name}.zst`);
    return cached(join(places.cache, `given-${digest([packed])}`), (path) => {
      writeFileSync(path, zstdDecompressSync(readFileSync(packed)));
    });
  }
  const files = ["go.mod", "go.sum", "main.go"].map((file) => join(sources, file));
  return cached(join(places.cache, `built-${digest(files)}`), (path) => {
    say("building the cluster's program from the Go module proxy: ten minutes and more, once");
    build(path);
  });
}

function cached(folder: string, make: (path: string) => void): string {
  const path = join(folder, name);
  if (existsSync(path)) return path;
  mkdirSync(dirname(path), { recursive: true });
  const unfinished = `${path}.${process.pid}`;
  make(unfinished);
  chmodSync(unfinished, 0o755);
  renameSync(unfinished, path);
  return path;
}

function build(path: string): void {
  const version = "k8s.io/component-base/version";
  const flags = [
    "-s -w",
    `-X ${version}.gitVersion=${release.version}`,
    `-X ${version}.gitMajor=${release.major}`,
    `-X ${version}.gitMinor=${release.minor}`,
  ].join(" ");
  const done = spawnSync("go", ["build", "-trimpath", "-ldflags", flags, "-o", path, "."], {
    cwd: sources,
    env: { ...process.env, CGO_ENABLED: "0" },
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (done.error !== undefined) {
    throw new Error(
      "go is needed to build the cluster's program: install Go, or name a folder with MOORAGE_CLUSTER_BINARIES",
    );
  }
  if (done.status !== 0) throw new Error("the cluster's program could not be built");
}

function digest(files: readonly string[]): string {
  const hash = createHash("sha256");
  for (const file of files) hash.update(readFileSync(file));
  return hash.digest("hex").slice(0, 16);
}
