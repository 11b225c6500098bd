// How often a start asks the API server, by the server's own record, against a tool that polls.
import type { AskedRequest } from "../../test/cluster/up/audit.ts";
import type { Limit, Reading } from "../measure.ts";
import { exactly } from "../measure.ts";
import type { Place } from "../place.ts";
import { mustRun, openAgents, sleeper } from "./agents.ts";
import { askedBy } from "./asked.ts";
import type { Ground } from "./ground.ts";
import { pollingStart } from "./polling-tool.ts";

/** Two of the reads that a start makes every 30 s lie within it. */
const waitedMs = 65_000;
const agent = "scribe";

export async function clusterRequests(ground: Ground, { signal }: Place): Promise<Reading[]> {
  const namespace = await ground.namespace();
  const agents = openAgents(ground, namespace, signal);
  const asked = (work: () => Promise<unknown>): Promise<readonly AskedRequest[]> => askedBy(ground, namespace, work);
  try {
    const template = sleeper(ground);
    const fresh = await asked(async () => mustRun(await agents.start(agent, template)));
    const again = await asked(async () => mustRun(await agents.start(agent, template)));
    const polledFresh = await asked(() => pollingStart(ground, namespace));
    const polledAgain = await asked(() => pollingStart(ground, namespace));
    // On a node that is not there.
    const stuck = sleeper(ground, { nodeSelector: { nowhere: "true" } });
    const waiting = await asked(() => agents.start("waits", stuck, waitedMs));
    // From the first watch on: what came before is the start's.
    const whileWaiting = waiting.slice(waiting.findIndex(({ verb }) => verb === "watch") + 1);
    const [watches, reads] = [count(whileWaiting, "watch"), count(whileWaiting, "list")];
    const polls = Math.floor(waitedMs / 2_000);
    return [
      reading("a fresh start", fresh.length, polledFresh.length, 6),
      reading("a start of a running agent", again.length, polledAgain.length, 1),
      reading("reads in 65 s of waiting", reads, polls, 2),
      reading("watches begun again in 65 s of waiting", watches, null, reads),
      reading("anything else in 65 s of waiting", whileWaiting.length - reads - watches, null, 0),
    ];
  } finally {
    agents.close();
    if (!signal.aborted) await ground.remove(namespace);
  }
}

function count(requests: readonly AskedRequest[], verb: string): number {
  return requests.filter((one) => one.verb === verb && one.resource === "pods").length;
}

function reading(what: string, ours: number, baseline: number | null, most: number): Reading {
  const requests = (value: number) => ({ unit: "requests", value: exactly(value) }) as const;
  const limit: Limit = { kind: "atMost", value: most };
  return {
    what,
    ours: requests(ours),
    against: baseline === null ? null : "a tool that looks every 2 s",
    baseline: baseline === null ? null : requests(baseline),
    compared: requests(ours),
    limit,
  };
}
