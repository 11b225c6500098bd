// What `status` of a thousand agents costs, whole process.
import type { Reading } from "../measure.ts";
import { inTurn, rounds, spread } from "../measure.ts";
import type { Place } from "../place.ts";
import { run } from "../run-process.ts";
import { openAgents } from "./agents.ts";
import type { Ground } from "./ground.ts";
import { many, plantMany } from "./many.ts";

export async function clusterStatus1000(ground: Ground, place: Place): Promise<Reading[]> {
  const namespace = await ground.namespace();
  const agents = openAgents(ground, namespace, place.signal);
  const options = { ...place, env: { ...place.env, KUBECONFIG: ground.kubeconfig } };
  const command = [...place.moorage, "status", "--on", "kubernetes", "--namespace", namespace] as const;
  try {
    await plantMany(ground, agents);
    for (let warm = 0; warm < 3; warm += 1) await run(command, options);
    const { stdout } = await run(command, options);
    const told = stdout.match(/^agent-\d+\b/gm)?.length;
    if (told !== many) throw new Error(`${told} agents are told instead of ${many}: ${stdout.slice(0, 400)}`);
    const limit = { kind: "atMost", value: 1_000 } as const;
    const samples = await rounds({
      least: 11,
      most: 31,
      limit,
      signal: place.signal,
      sample: inTurn(
        async () => (await run(command, options)).ms,
        async () => (await run(place.bareBoot, options)).ms,
      ),
      compared: ({ ours }) => ours,
    });
    const ours = { unit: "ms", value: spread(samples.map((one) => one.ours)) } as const;
    return [
      {
        what: `status of ${many} agents`,
        ours,
        against: "node -e 0",
        baseline: { unit: "ms", value: spread(samples.map(({ baseline }) => baseline)) },
        compared: ours,
        limit,
      },
    ];
  } finally {
    agents.close();
    if (!place.signal.aborted) await ground.remove(namespace);
  }
}
