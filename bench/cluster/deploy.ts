// What a deploy of an agent that runs already costs over TLS: the whole process against a bare boot of the same Node, and inside a process that runs already.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Reading } from "../measure.ts";
import { inTurn, pairs, rounds, spread } from "../measure.ts";
import type { Place } from "../place.ts";
import type { CommandLine } from "../run-process.ts";
import { run } from "../run-process.ts";
import { declareSleeper, mustRun, openAgents, sleeper } from "./agents.ts";
import type { Ground } from "./ground.ts";

export async function clusterDeploy(ground: Ground, place: Place): Promise<Reading[]> {
  const { signal } = place;
  const namespace = await ground.namespace();
  const options = { ...place, env: { ...place.env, KUBECONFIG: ground.kubeconfig } };
  const deploy = ["deploy", "--on", "kubernetes", "--namespace", namespace, "--file", declareSleeper(ground, place)];
  const command: CommandLine = [...place.moorage, ...deploy];
  try {
    for (let warm = 0; warm < 3; warm += 1) await run(command, options);
    const { stdout } = await run([...command, "--json"], options);
    if (!stdout.includes('"alreadyRunning"')) throw new Error(`the agent should run already: ${stdout}`);
    const whole = await pairs({
      what: "deploy of a running agent",
      against: "node -e 0",
      unit: "ms",
      least: 30,
      most: 120,
      limit: { kind: "atMost", value: 5 },
      signal,
      sample: inTurn(
        async () => (await run(command, options)).ms,
        async () => (await run(place.bareBoot, options)).ms,
      ),
    });
    return [whole, await memory(place, options, command), await inside(ground, place, namespace)];
  } finally {
    if (!signal.aborted) await ground.remove(namespace);
  }
}

/** The most that a process ever held, told by itself at its end. */
async function memory(place: Place, options: Place, command: CommandLine): Promise<Reading> {
  const folder = place.folder();
  const [teller, told] = [join(folder, "tell.cjs"), join(folder, "told")];
  const tell = `require("node:fs").writeFileSync(${JSON.stringify(told)}, String(process.resourceUsage().maxRSS))`;
  writeFileSync(teller, `process.on("exit", () => ${tell});\n`);
  const mostMiB = async ([node, ...args]: CommandLine): Promise<number> => {
    await run([node, "--require", teller, ...args], options);
    return Number(readFileSync(told, "utf8")) / 1_024;
  };
  const limit = { kind: "atMost", value: 70 } as const;
  const samples = await rounds({
    least: 7,
    most: 21,
    limit,
    signal: place.signal,
    sample: inTurn(
      () => mostMiB(command),
      () => mostMiB(place.bareBoot),
    ),
    compared: ({ ours }) => ours,
  });
  const ours = { unit: "MiB", value: spread(samples.map((one) => one.ours)) } as const;
  return {
    what: "deploy of a running agent: the most that it holds",
    ours,
    against: "node -e 0",
    baseline: { unit: "MiB", value: spread(samples.map(({ baseline }) => baseline)) },
    compared: ours,
    limit,
  };
}

/** Over the connection that the process has, as `keep` and a provider have it. */
async function inside(ground: Ground, { signal }: Place, namespace: string): Promise<Reading> {
  const agents = openAgents(ground, namespace, signal);
  const template = sleeper(ground);
  try {
    mustRun(await agents.start("inside", template));
    const time = async (work: () => Promise<unknown>): Promise<number> => {
      const began = performance.now();
      await work();
      return performance.now() - began;
    };
    const again = async (): Promise<void> => {
      const { outcome } = await agents.start("inside", template);
      if (outcome !== "alreadyRunning") throw new Error(`it ended as ${outcome}`);
    };
    const read = (): Promise<unknown> => agents.cluster.substrate.secretExists("nothing");
    for (let warm = 0; warm < 10; warm += 1) await again();
    const limit = { kind: "under", value: 25 } as const;
    const samples = await rounds({
      least: 50,
      most: 200,
      limit,
      signal,
      sample: inTurn(
        () => time(again),
        () => time(read),
      ),
      compared: ({ ours }) => ours,
    });
    const ours = { unit: "ms", value: spread(samples.map((one) => one.ours)) } as const;
    return {
      what: "a start of a running agent inside a process",
      ours,
      against: "one request over the same connection",
      baseline: { unit: "ms", value: spread(samples.map(({ baseline }) => baseline)) },
      compared: ours,
      limit,
    };
  } finally {
    agents.close();
  }
}
