// What 64 starts of one agent cost: in one process against one start, and in 64 processes against 64 bare boots.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Reading } from "./measure.ts";
import { inTurn, pairs } from "./measure.ts";
import type { Place } from "./place.ts";
import { onTwoCores, sleepingFleet } from "./place.ts";
import { run, runAtOnce } from "./run-process.ts";

const count = 64;

export async function start64(place: Place): Promise<Reading[]> {
  const { signal } = place;
  const starts =
    (many: number): (() => Promise<number>) =>
    () =>
      startsInOneProcess(place, many);
  await startsInOneProcess(place, 1);
  const inOne = await pairs({
    what: "64 starts of one agent in one process",
    against: "one start",
    unit: "ms",
    least: 11,
    most: 40,
    limit: { kind: "atMost", value: 1.5 },
    signal,
    sample: inTurn(starts(count), starts(1)),
  });
  const inMany = await pairs({
    what: "64 starts of one agent in 64 processes",
    against: "64 bare boots at once",
    unit: "ms",
    least: 5,
    most: 15,
    limit: { kind: "atMost", value: 3.5 },
    signal,
    sample: inTurn(
      () => startsInManyProcesses(place),
      () => runAtOnce(count, onTwoCores(place.bareBoot), place),
    ),
  });
  return [inOne, inMany];
}

/** The milliseconds from the first call until all have answered, in a process that has loaded everything before. */
async function startsInOneProcess(place: Place, many: number): Promise<number> {
  const state = join(place.folder(), "state");
  mkdirSync(state, { mode: 0o700 });
  const call = onTwoCores([...place.concurrentStarts, String(many), state, ...place.supervisor]);
  const { stdout } = await run(call, place);
  await place.endAgents(state);
  return Number(stdout);
}

async function startsInManyProcesses(place: Place): Promise<number> {
  const state = join(place.folder(), "state");
  const file = sleepingFleet(place, ["scribe"]);
  const ms = await runAtOnce(count, onTwoCores([...place.moorage, "deploy", "--file", file, "--state", state]), place);
  await place.endAgents(state);
  return ms;
}
