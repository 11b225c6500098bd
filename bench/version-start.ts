// What the shortest command costs: `moorage version`, built, against a bare boot of the same Node.
import type { Reading } from "./measure.ts";
import { inTurn, pairs } from "./measure.ts";
import type { Place } from "./place.ts";
import { run } from "./run-process.ts";

export async function versionStart(place: Place): Promise<Reading[]> {
  const command = [...place.moorage, "version"] as const;
  // The first runs leave compiled code in the cache, as the first runs of a person do.
  for (let warm = 0; warm < 3; warm += 1) await run(command, place);
  const reading = await pairs({
    what: "moorage version",
    against: "node -e 0",
    unit: "ms",
    least: 30,
    most: 120,
    limit: { kind: "atMost", value: 1.3 },
    signal: place.signal,
    sample: inTurn(
      async () => (await run(command, place)).ms,
      async () => (await run(place.bareBoot, place)).ms,
    ),
  });
  return [reading];
}
