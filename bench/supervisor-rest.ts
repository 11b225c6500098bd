// What a supervisor holds and does while its agent does nothing: resident memory and wake-ups, against a bare Node that sleeps.
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Quantity, Reading } from "./measure.ts";
import { spread } from "./measure.ts";
import type { Place } from "./place.ts";
import { fleetNames, sleepingFleet } from "./place.ts";
import { run } from "./run-process.ts";

const count = 5;
/** Until what only a start needs has been done and collected. */
const settleMs = 10_000;
const watchedMs = 30_000;

export async function supervisorRest(place: Place): Promise<Reading[]> {
  const state = join(place.folder(), "state");
  // The first one ever leaves compiled code in the cache, without which those after it would hold more.
  const first = join(place.folder(), "state");
  await run([...place.moorage, "deploy", "first", "--state", first, "--", "sleep", "100000"], place);
  await place.endAgents(first);
  await run([...place.moorage, "deploy", "--file", sleepingFleet(place, fleetNames(count)), "--state", state], place);
  const delivered = join(place.folder(), "state");
  const catalogs = sleepingFleet(place, fleetNames(count), "catalog");
  await run([...place.moorage, "deploy", "--file", catalogs, "--state", delivered], place);
  const [node] = place.bareBoot;
  const sleepers = Array.from({ length: count }, () =>
    spawn(node, ["-e", "setTimeout(() => {}, 1e9)"], { env: place.env, signal: place.signal, stdio: "ignore" }),
  );
  for (const sleeper of sleepers) sleeper.on("error", () => undefined);
  try {
    const bare = sleepers.flatMap(({ pid }) => pid ?? []);
    const ours = supervisorsOf(state);
    if (ours.length !== count) throw new Error(`${ours.length} supervisors run instead of ${count}`);
    await sleep(settleMs, undefined, { signal: place.signal });
    const [oursBefore, bareBefore, began] = [ours.map(wakeUps), bare.map(wakeUps), performance.now()];
    await sleep(watchedMs, undefined, { signal: place.signal });
    const seconds = (performance.now() - began) / 1_000;
    const rates = (pids: readonly number[], before: readonly number[]): Quantity => ({
      unit: "/s",
      value: spread(pids.map((pid, at) => (wakeUps(pid) - (before[at] ?? 0)) / seconds)),
    });
    const [oursRate, bareRate] = [rates(ours, oursBefore), rates(bare, bareBefore)];
    const [oursMemory, bareMemory] = [ours.map(residentMiB), bare.map(residentMiB)];
    const deliveredMemory = supervisorsOf(delivered).map(residentMiB);
    const typical = spread(bareMemory).median;
    return [
      {
        what: "a supervisor at rest: resident memory",
        ours: { unit: "MiB", value: spread(oursMemory) },
        against: "a Node that sleeps",
        baseline: { unit: "MiB", value: spread(bareMemory) },
        compared: { unit: "×", value: spread(oursMemory.map((each) => each / typical)) },
        limit: { kind: "atMost", value: 1.25 },
      },
      {
        what: "a supervisor at rest that delivers a catalog: resident memory",
        ours: { unit: "MiB", value: spread(deliveredMemory) },
        against: "a Node that sleeps",
        baseline: { unit: "MiB", value: spread(bareMemory) },
        compared: { unit: "×", value: spread(deliveredMemory.map((each) => each / typical)) },
        limit: { kind: "atMost", value: 1.4 },
      },
      {
        what: "a supervisor at rest: wake-ups of all threads",
        ours: oursRate,
        against: "a Node that sleeps",
        baseline: bareRate,
        compared: oursRate,
        limit: { kind: "under", value: 1 },
      },
    ];
  } finally {
    for (const sleeper of sleepers) sleeper.kill("SIGKILL");
    if (!place.signal.aborted) for (const each of [state, delivered]) await place.endAgents(each);
  }
}

function supervisorsOf(state: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
        return words.includes(state) && words.some((word) => word.endsWith("supervisor.cjs"));
      } catch {
        return false;
      }
    });
}

/** How often a thread of the process had waited and was woken, so far. */
function wakeUps(pid: number): number {
  return readdirSync(`/proc/${pid}/task`)
    .map((thread) => field(`/proc/${pid}/task/${thread}/status`, "voluntary_ctxt_switches"))
    .reduce((sum, each) => sum + each, 0);
}

function residentMiB(pid: number): number {
  return field(`/proc/${pid}/status`, "VmRSS") / 1_024;
}

function field(file: string, name: string): number {
  const found = new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(readFileSync(file, "utf8"));
  if (found?.[1] === undefined) throw new Error(`${file} has no ${name}`);
  return Number(found[1]);
}
