// What a deploy of an agent that runs already costs, against a bare boot of the same Node.
import { join } from "node:path";
import type { Reading } from "./measure.ts";
import { inTurn, pairs } from "./measure.ts";
import type { Place } from "./place.ts";
import { sleepingFleet } from "./place.ts";
import { run } from "./run-process.ts";

export async function noopDeploy(place: Place): Promise<Reading[]> {
  const state = join(place.folder(), "state");
  const command = [...place.moorage, "deploy", "--file", sleepingFleet(place, ["scribe"]), "--state", state] as const;
  for (let warm = 0; warm < 3; warm += 1) await run(command, place);
  const { stdout } = await run([...command, "--json"], place);
  if (!stdout.includes('"alreadyRunning"')) throw new Error(`the agent should run already: ${stdout}`);
  const reading = await pairs({
    what: "deploy of a running agent",
    against: "node -e 0",
    unit: "ms",
    least: 30,
    most: 120,
    limit: { kind: "atMost", value: 3 },
    signal: place.signal,
    sample: inTurn(
      async () => (await run(command, place)).ms,
      async () => (await run(place.bareBoot, place)).ms,
    ),
  });
  await place.endAgents(state);
  return [reading];
}
