// What a client waits for before it shows a form: the provider's `info`, built as one file, and a deploy that is refused for what it says.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleProvider } from "../scripts/bundle.ts";
import type { Limit, Reading } from "./measure.ts";
import { inTurn, pairs } from "./measure.ts";
import type { Place } from "./place.ts";
import type { CommandLine } from "./run-process.ts";
import { run } from "./run-process.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

export async function providerInfo(place: Place): Promise<Reading[]> {
  const file = join(place.folder(), "buzz-backend-moorage");
  await bundleProvider(root, file);
  const provider = [process.execPath, file] as const;
  const refused = { op: "deploy", agent: { auth_tag: "of-the-owner" }, provider_config: {} };
  return [
    await whole("info", provider, { op: "info" }, { kind: "atMost", value: 1.5 }, place),
    await whole("a refused deploy", provider, refused, { kind: "atMost", value: 5 }, place),
  ];
}

/** A whole process that answers one request. */
function whole(what: string, provider: CommandLine, request: object, limit: Limit, place: Place): Promise<Reading> {
  const input = JSON.stringify(request);
  return pairs({
    what,
    against: "node -e 0",
    unit: "ms",
    least: 30,
    most: 120,
    limit,
    signal: place.signal,
    sample: inTurn(
      async () => (await run(provider, { ...place, input })).ms,
      async () => (await run(place.bareBoot, place)).ms,
    ),
  });
}
