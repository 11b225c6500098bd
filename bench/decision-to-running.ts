// Inside a deploy, the time from the decision to create until the agent is known to run, against a plain spawn of the same agent.
import { join } from "node:path";
import type { Reading } from "./measure.ts";
import { rounds, spread } from "./measure.ts";
import type { Place } from "./place.ts";
import { firstByte, run } from "./run-process.ts";

/** The least that an agent in Node can be. */
const agent = ["node", "-e", 'process.stdout.write("ready\\n"); setTimeout(() => {}, 1e9)'] as const;

interface Sample {
  readonly ours: number;
  readonly spawn: number;
  readonly boot: number;
}

export async function decisionToRunning(place: Place): Promise<Reading[]> {
  const state = join(place.folder(), "state");
  await toRunning(place, state);
  const compared = ({ ours, spawn, boot }: Sample): number => (ours - spawn) / boot;
  const limit = { kind: "atMost", value: 1.5 } as const;
  const sample = async (): Promise<Sample> => ({
    boot: (await run(place.bareBoot, place)).ms,
    ours: await toRunning(place, state),
    spawn: await firstByte(agent, place),
  });
  const samples = await rounds({ least: 15, most: 50, limit, signal: place.signal, sample, compared });
  return [
    {
      what: "from the decision to running",
      ours: { unit: "ms", value: spread(samples.map(({ ours }) => ours)) },
      against: "spawn until the first byte",
      baseline: { unit: "ms", value: spread(samples.map(({ spawn }) => spawn)) },
      compared: { unit: "boots", value: spread(samples.map(compared)) },
      limit,
    },
  ];
}

/** The milliseconds between two lines of the journal; the state directory is a new one each time. */
async function toRunning(place: Place, state: string): Promise<number> {
  const scope = ["--state", state] as const;
  await run([...place.moorage, "deploy", "scribe", ...scope, "--", ...agent], place);
  const { stdout } = await run([...place.moorage, "journal", "scribe", "--json", ...scope], place);
  const lines = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { readonly at: string; readonly step: string; readonly code: string });
  const at = (step: string, code: string): number => {
    const line = lines.findLast((each) => each.step === step && each.code === code);
    if (line === undefined) throw new Error(`the journal does not tell of ${step} ${code}: ${stdout}`);
    return Date.parse(line.at);
  };
  const ms = at("end", "started") - at("decide", "create");
  await place.endAgents(state);
  return ms;
}
