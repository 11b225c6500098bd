// What the hash of a catalog of 1,000 files and 50 MB costs, against `sha256sum` of the same files; and what storing it costs, against one durable write of as much.
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, mkdirSync, mkdtempSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  envelopeBytes,
  hashCatalog,
  nextManifest,
  openStore,
  readCatalogContent,
  readRoot,
  signManifest,
  signRoot,
  trustRoot,
  verifyBundle,
} from "@moorage/bundle";
import { bareFloor } from "@moorage/core";
import { generateSigningKey } from "@moorage/keys";
import type { Reading } from "./measure.ts";
import { inTurn, pairs } from "./measure.ts";
import type { Place } from "./place.ts";

const files = 1_000;
const bytes = 50_000;

export async function catalogHashCost({ signal }: Place): Promise<Reading[]> {
  const folder = mkdtempSync(join(tmpdir(), "bench-hash-"));
  try {
    const paths = plantCatalog(folder);
    const ours = (): Promise<number> => Promise.resolve(timed(() => hashCatalog(folder)));
    const theirs = (): Promise<number> =>
      Promise.resolve(
        timed(() => {
          const { status } = spawnSync("sha256sum", paths, { cwd: folder, stdio: "ignore" });
          if (status !== 0) throw new Error("sha256sum failed");
        }),
      );
    // Both read what is in memory by now.
    await ours();
    await theirs();
    const reading = await pairs({
      what: "hash of a catalog of 1,000 files and 50 MB",
      against: "sha256sum",
      unit: "ms",
      least: 9,
      most: 40,
      limit: { kind: "atMost", value: 1.5 },
      signal,
      sample: inTurn(ours, theirs),
    });
    return [reading, await storing(folder, signal)];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The content is in memory in both cases; ours is proved on its way, and is one file with one sync as well. */
async function storing(folder: string, signal: AbortSignal): Promise<Reading> {
  const { catalog, payload } = readCatalogContent(folder);
  const { key } = generateSigningKey();
  const root = trustRoot({ version: 1, threshold: 1, keys: [key.publicKey], expires: null });
  const channel = { fleet: "bench", catalog: "main" };
  const manifest = nextManifest(catalog, {
    channel,
    parent: null,
    target: { wireVersion: 1, eventLogSchema: 1, crdApiVersion: "moorage.dev/v1alpha1" },
    rootVersion: 1,
    created: "2026-01-01T00:00:00.000Z",
    expires: null,
  });
  const verdict = verifyBundle(envelopeBytes(signManifest(manifest, [key])), {
    root: readRoot(envelopeBytes(signRoot(root, [key]))),
    channel,
    floor: bareFloor,
    accepted: new Set(),
    running: null,
    now: 0,
    payload,
  });
  if (verdict.kind === "refused") throw new Error(verdict.message);
  const { bundle } = verdict;
  const whole = Buffer.concat(catalog.components.map((component) => payload(component) ?? Buffer.alloc(0)));
  const place = mkdtempSync(join(tmpdir(), "bench-store-"));
  try {
    let round = 0;
    const ours = (): Promise<number> => {
      const store = openStore(join(place, String((round += 1))), { now: () => 0 });
      return Promise.resolve(timed(() => store.put(bundle, payload)));
    };
    const theirs = (): Promise<number> => Promise.resolve(timed(() => writeDurably(place, whole)));
    return await pairs({
      what: "storing a catalog of 1,000 files and 50 MB",
      against: "one durable write of 50 MB",
      unit: "ms",
      least: 7,
      most: 20,
      limit: { kind: "atMost", value: 4 },
      signal,
      sample: inTurn(ours, theirs),
    });
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

function writeDurably(folder: string, bytes: Uint8Array): void {
  const path = join(folder, "blob");
  for (const [at, flags] of [
    [`${path}.new`, "w"],
    [folder, "r"],
  ] as const) {
    const file = openSync(at, flags);
    if (flags === "w") writeFileSync(file, bytes);
    fsyncSync(file);
    closeSync(file);
    if (flags === "w") renameSync(at, path);
  }
}

/** Half of it text, with lines as prompts have them, half of it bytes. */
function plantCatalog(folder: string): string[] {
  const line = "You answer in one sentence, and say what you do not know: that is all there is to it.\n";
  const text = line.repeat(Math.ceil(bytes / line.length)).slice(0, bytes);
  return Array.from({ length: files }, (_, at) => {
    const path = `part-${at % 20}/${at}.${at % 2 === 0 ? "md" : "bin"}`;
    mkdirSync(join(folder, `part-${at % 20}`), { recursive: true });
    writeFileSync(join(folder, path), at % 2 === 0 ? text : randomBytes(bytes));
    return path;
  });
}

function timed(work: () => unknown): number {
  const began = performance.now();
  work();
  return performance.now() - began;
}
