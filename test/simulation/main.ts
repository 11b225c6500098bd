/** `npm run simulate`: plays fresh histories on all cores; a seed that breaks a promise is printed, shrunk and told. */
import { randomInt } from "node:crypto";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import { knownSeeds } from "./known-seeds.ts";
import type { Result, Share } from "./many.ts";
import { playMany } from "./many.ts";
import { play } from "./play.ts";
import { randomHistory } from "./random-history.ts";
import { shrink } from "./shrink.ts";
import { tellStory } from "./story.ts";

const usage = `usage: npm run simulate -- [--seconds N] [--histories N] [--seed S] [--workers N]
       npm run simulate -- --seed S --replay [--whole]

Plays histories of the seeds S, S+1, … (a fresh S by default) and of all seeds that ever failed.
--replay plays the one history of S and tells it, cut down to what matters; --whole tells all of it.
--short prints a broken seed without its story.
`;

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seconds: { type: "string", default: "10" },
      histories: { type: "string" },
      seed: { type: "string" },
      workers: { type: "string", default: String(availableParallelism()) },
      replay: { type: "boolean", default: false },
      whole: { type: "boolean", default: false },
      short: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const numbers = [values.seconds, values.histories ?? "0", values.seed ?? "0", values.workers].map(Number);
  if (values.help || numbers.some((number) => !Number.isFinite(number))) {
    process.stdout.write(usage);
    return values.help ? 0 : 2;
  }
  const [seconds = 0, histories = 0, given = 0, workers = 1] = numbers;
  if (values.replay) return replay(given, values.whole);
  const seed = values.seed === undefined ? randomInt(1, 2 ** 31) : given;
  const known = await playKnown();
  if (known !== null) return tellBroken(known, values.short);
  const began = performance.now();
  const ms = histories > 0 && !args.includes("--seconds") ? Number.POSITIVE_INFINITY : seconds * 1_000;
  const results = await playShared(seed, ms, histories > 0 ? histories : Number.POSITIVE_INFINITY, workers);
  const took = (performance.now() - began) / 1_000;
  const played = results.reduce((sum, result) => sum + result.played, 0);
  const rate = Math.round((played / took) * 60);
  process.stdout.write(
    `${played} histories in ${took.toFixed(1)} s, ${rate} a minute on ${workers} workers, from seed ${seed}\n`,
  );
  const broken = results.flatMap((result) => (result.broken === null ? [] : [result.broken])).sort((a, b) => a - b)[0];
  if (broken !== undefined) return tellBroken(broken, values.short);
  process.stdout.write("no promise was broken\n");
  return 0;
}

/** All seeds that ever failed; the first that fails again. */
async function playKnown(): Promise<number | null> {
  for (const seed of knownSeeds()) {
    const result = await playMany({ first: seed, stride: 1, histories: 1, ms: 60_000 }, () => performance.now());
    if (result.broken !== null) return seed;
  }
  return null;
}

function playShared(seed: number, ms: number, histories: number, workers: number): Promise<Result[]> {
  const shares = Array.from({ length: workers }, (_, index): Share => {
    const share = Math.floor(histories / workers) + (index < histories % workers ? 1 : 0);
    return { first: seed + index, stride: workers, histories: Number.isFinite(histories) ? share : histories, ms };
  });
  return Promise.all(shares.map(playShare));
}

function playShare(share: Share): Promise<Result> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL("./worker.ts", import.meta.url), { workerData: share });
    worker.once("message", resolve);
    worker.once("error", reject);
  });
}

async function tellBroken(seed: number, short: boolean): Promise<number> {
  process.stdout.write(`\nseed ${seed} breaks a promise; again with: npm run simulate -- --seed ${seed} --replay\n\n`);
  if (short) return 1;
  await replay(seed, false);
  process.stdout.write("\nWhen it is mended, add the seed to test/simulation/seeds.json: it is then always played.\n");
  return 1;
}

async function replay(seed: number, whole: boolean): Promise<number> {
  const history = randomHistory(seed);
  const { violations } = await play(history);
  const [first] = violations;
  const told = whole || first === undefined ? history : await shrink(history, first.promise);
  process.stdout.write(`${tellStory(told, await play(told, { story: true }))}\n`);
  return violations.length === 0 ? 0 : 1;
}
