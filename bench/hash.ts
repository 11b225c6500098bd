// What the hash of a catalog of 1,000 files and 50 MB costs, against `sha256sum` of the same files.
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hashCatalog } from "@moorage/bundle";
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
    return [reading];
  } finally {
    rmSync(folder, { recursive: true, force: true });
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
