/** The programs of the cluster: from a given folder, from the cache, or built from their sources. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { zstdDecompressSync } from "node:zlib";

/** All parts of a cluster in one, and what plays nodes that are none. */
export type Program = "testcluster" | "kwok";

const sources = fileURLToPath(new URL("../binary", import.meta.url));
const release = { version: "v1.35.1", major: "1", minor: "35" };
const kwok = "sigs.k8s.io/kwok/cmd/kwok@v0.7.0";

export interface BinaryPlaces {
  /** A folder that has them, as they are or packed (`.zst`); null when none was given. */
  readonly given: string | null;
  readonly cache: string;
}

/** Its path, executable. A build of the cluster takes ten minutes and more, once for each state of its sources; `say` tells of it. */
export function findBinary(places: BinaryPlaces, program: Program, say: (line: string) => void): string {
  if (places.given !== null) {
    const given = givenBinary(places, program);
    if (given === null) throw new Error(`${places.given} has neither ${program} nor ${program}.zst`);
    return given;
  }
  const files = ["go.mod", "go.sum", "main.go"].map((file) => readFileSync(join(sources, file)));
  const origin = program === "kwok" ? digest(kwok) : digest(...files);
  return cached(join(places.cache, `built-${origin}`, program), (path) => {
    say(`building ${program} from the Go module proxy, once: it takes minutes`);
    if (program === "kwok") buildKwok(path);
    else buildCluster(path);
  });
}

/** The path of any program of the given folder; null when it has none of this name. */
export function givenBinary({ given, cache }: BinaryPlaces, program: string): string | null {
  if (given === null) return null;
  const plain = join(given, program);
  if (existsSync(plain)) return plain;
  const packed = `${plain}.zst`;
  if (!existsSync(packed)) return null;
  return cached(join(cache, `given-${digest(readFileSync(packed))}`, program), (path) => {
    writeFileSync(path, zstdDecompressSync(readFileSync(packed)));
  });
}

function cached(path: string, make: (path: string) => void): string {
  if (existsSync(path)) return path;
  mkdirSync(dirname(path), { recursive: true });
  const unfinished = `${path}.${process.pid}`;
  make(unfinished);
  chmodSync(unfinished, 0o755);
  renameSync(unfinished, path);
  return path;
}

function buildCluster(path: string): void {
  const version = "k8s.io/component-base/version";
  const flags = [
    "-s -w",
    `-X ${version}.gitVersion=${release.version}`,
    `-X ${version}.gitMajor=${release.major}`,
    `-X ${version}.gitMinor=${release.minor}`,
  ].join(" ");
  go(["build", "-trimpath", "-ldflags", flags, "-o", path, "."]);
}

function buildKwok(path: string): void {
  const folder = `${path}.made`;
  go(["install", "-trimpath", "-ldflags", "-s -w", kwok], { GOBIN: folder });
  renameSync(join(folder, "kwok"), path);
  rmSync(folder, { recursive: true });
}

function go(args: readonly string[], env: Readonly<Record<string, string>> = {}): void {
  const done = spawnSync("go", args, {
    cwd: sources,
    env: { ...process.env, CGO_ENABLED: "0", ...env },
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (done.error !== undefined) {
    throw new Error(
      "go is needed to build the cluster's programs: install Go, or name a folder with MOORAGE_CLUSTER_BINARIES",
    );
  }
  if (done.status !== 0) throw new Error("the cluster's programs could not be built");
}

function digest(...contents: readonly (string | Uint8Array)[]): string {
  const hash = createHash("sha256");
  for (const content of contents) hash.update(content);
  return hash.digest("hex").slice(0, 16);
}
