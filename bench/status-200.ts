// What the status of 200 running agents costs, against a bare boot of the same Node.
import { join } from "node:path";
import type { Reading } from "./measure.ts";
import { inTurn, pairs } from "./measure.ts";
import type { Place } from "./place.ts";
import { fleetNames, sleepingFleet } from "./place.ts";
import { run } from "./run-process.ts";

export async function status200(place: Place): Promise<Reading[]> {
  const state = join(place.folder(), "state");
  await run([...place.moorage, "deploy", "--file", sleepingFleet(place, fleetNames(200)), "--state", state], place);
  const command = [...place.moorage, "status", "--state", state] as const;
  for (let warm = 0; warm < 3; warm += 1) await run(command, place);
  const { stdout } = await run(command, place);
  if (!fleetNames(200).every((name) => stdout.includes(name))) throw new Error(`not all agents are told: ${stdout}`);
  const reading = await pairs({
    what: "status of 200 agents",
    against: "node -e 0",
    unit: "ms",
    least: 15,
    most: 60,
    limit: { kind: "atMost", value: 4 },
    signal: place.signal,
    sample: inTurn(
      async () => (await run(command, place)).ms,
      async () => (await run(place.bareBoot, place)).ms,
    ),
  });
  await place.endAgents(state);
  return [reading];
}
