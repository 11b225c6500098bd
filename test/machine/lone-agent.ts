/** An agent that proves by the kernel that it is alone: whoever of it lives holds a lock, and who finds it held says so. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Place } from "./place.ts";
import { alive, commandOf } from "./processes.ts";

/**
 * Its children inherit the descriptor: a run of which anything at all still lives is not over. Each line is one append.
 * Where there is no flock (macOS) the order of the lines still tells.
 */
const script = `#!/bin/sh
out=$1
exec 9>>"$out.held"
if command -v flock >/dev/null; then flock -n 9 || echo "overlap $$" >>"$out"; fi
echo "start $$" >>"$out"
trap 'sleep "\${2:-0}"; echo "term $$" >>"$out"; exit 0' TERM
while :; do echo "beat $$" >>"$out"; sleep 0.05 & wait $!; done
`;

export interface LoneAgent {
  readonly command: readonly [string, ...string[]];
  /** The PIDs of its runs, in their order. Throws when two of them ever lived at once. */
  runs(): number[];
  /** Those of them that live now: a number may be another process' by then. */
  living(): number[];
  /** How often it was asked to end and did. */
  endings(): number;
}

/** `lingers`: seconds between its SIGTERM and its end. */
export function loneAgent(place: Place, { name = "lone", lingers = 0 } = {}): LoneAgent {
  const program = place.write(`${name}.sh`, script, 0o755);
  const file = join(place.dir, `${name}.seen`);
  const lines = (): string[][] => read(file).map((line) => line.split(" "));
  return {
    command: [program, file, String(lingers)],
    runs: () => runsOf(lines()),
    living: () => runsOf(lines()).filter((pid) => alive(pid) && commandOf(pid).includes(file)),
    endings: () => lines().filter(([word]) => word === "term").length,
  };
}

function runsOf(lines: readonly (readonly string[])[]): number[] {
  const runs: string[] = [];
  for (const [word = "", pid = ""] of lines) {
    if (word === "overlap")
      throw new Error(`two at once: ${pid} began while an earlier run lived (${runs.join(", ")})`);
    if (word === "start") runs.push(pid);
    else if (runs.at(-1) !== pid) throw new Error(`two at once: ${pid} wrote after ${runs.at(-1)} had begun`);
  }
  return runs.map(Number);
}

function read(file: string): string[] {
  try {
    // The last piece is empty, or a line that a kill cut off.
    return readFileSync(file, "utf8").split("\n").slice(0, -1);
  } catch {
    return [];
  }
}
