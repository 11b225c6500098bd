// How soon a start returns after its pod runs: against a bare watch in Node, and a tool that looks every two seconds.
import { setTimeout as sleep } from "node:timers/promises";
import { moorageProfile, nameIdentity } from "@moorage/core";
import { sha256 } from "@moorage/keys";
import type { Reading } from "../measure.ts";
import { exactly, quantile, spread } from "../measure.ts";
import type { Place } from "../place.ts";
import type { Agents } from "./agents.ts";
import { mustRun, openAgents, sleeper } from "./agents.ts";
import type { Ground } from "./ground.ts";
import { observe } from "./observer.ts";

const starts = 100;
/** Each takes two seconds and more. */
const polledStarts = 20;
const warmUps = 3;
const agent = "scribe";
const identity = nameIdentity(agent, sha256);

interface Sample {
  /** Milliseconds after the one bare watch saw it run. */
  readonly ours: number;
  readonly otherWatch: number;
  readonly poller: number | null;
  /** Milliseconds since the start was begun. */
  readonly whole: number;
}

export async function clusterReaction(ground: Ground, { signal }: Place): Promise<Reading[]> {
  const namespace = await ground.namespace();
  const agents = openAgents(ground, namespace, signal);
  const [judge, other] = [await observe(ground, namespace, signal), await observe(ground, namespace, signal)];
  const template = sleeper(ground);

  const sample = async (polled: boolean): Promise<Sample> => {
    const began = process.hrtime.bigint();
    const poller = polled ? pollUntilRunning(ground, namespace) : Promise.resolve(null);
    mustRun(await agents.start(agent, template));
    const returned = process.hrtime.bigint();
    const uid = await uidOf(agents);
    const ran = await judge.ran(uid);
    const after = (moment: bigint): number => Number(moment - ran) / 1e6;
    const polledAt = await poller;
    const taken = {
      ours: after(returned),
      otherWatch: after(await other.ran(uid)),
      poller: polledAt === null ? null : after(polledAt),
      whole: Number(returned - began) / 1e6,
    };
    await agents.stop(agent);
    return taken;
  };

  try {
    for (let warm = 0; warm < warmUps; warm += 1) await sample(false);
    const samples: Sample[] = [];
    while (samples.length < starts) {
      signal.throwIfAborted();
      samples.push(await sample(samples.length % (starts / polledStarts) === 0));
    }
    return readings(samples);
  } finally {
    for (const observer of [judge, other]) observer.end();
    agents.close();
    if (!signal.aborted) await ground.remove(namespace);
  }
}

function readings(samples: readonly Sample[]): Reading[] {
  const ms = (numbers: readonly number[]) => ({ unit: "ms", value: spread(numbers) }) as const;
  const p95 = (numbers: readonly number[]) =>
    ({ unit: "ms", value: exactly(quantile(numbers, 0.95), numbers.length) }) as const;
  const [ours, other] = [samples.map((one) => one.ours), samples.map((one) => one.otherWatch)];
  const polled = samples.flatMap(({ whole, poller, ours: reaction }) =>
    poller === null ? [] : [{ ours: whole, baseline: whole - reaction + poller }],
  );
  const against = "another bare watch in Node";
  return [
    {
      what: "from running to the return of a start, median",
      ours: ms(ours),
      against,
      baseline: ms(other),
      compared: ms(ours),
      limit: { kind: "atMost", value: 5 },
    },
    {
      what: "from running to the return of a start, 95 of 100",
      ours: p95(ours),
      against,
      baseline: p95(other),
      compared: p95(ours),
      limit: { kind: "atMost", value: 20 },
    },
    {
      what: "from the call to confirmed",
      ours: ms(polled.map((one) => one.ours)),
      against: "a tool that looks every 2 s",
      baseline: ms(polled.map(({ baseline }) => baseline)),
      compared: { unit: "×", value: spread(polled.map(({ ours: one, baseline }) => one / baseline)) },
      limit: { kind: "under", value: 1 },
    },
  ];
}

/** The moment at which a tool that looks every two seconds knows that it runs. */
async function pollUntilRunning(ground: Ground, namespace: string): Promise<bigint> {
  for (;;) {
    await sleep(2_000);
    const { body } = await ground.ask("GET", `/api/v1/namespaces/${namespace}/pods`);
    if (body.includes('"running":{')) return process.hrtime.bigint();
  }
}

async function uidOf({ substrate }: Agents): Promise<string> {
  const reading = await substrate.readInstances(identity);
  const found = reading.kind === "read" ? reading.instances[0]?.fence.uid : undefined;
  if (found === undefined) throw new Error(`the agent is not there under ${moorageProfile.prefix}`);
  return found;
}
