// What a client waits for when it starts an agent through the provider, built as one file: a fresh one and one that runs, in time and in requests.
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { bundleProvider } from "../../scripts/bundle.ts";
import { pushClientsImage, scriptVariable } from "../../test/cluster/provider/clients-image.ts";
import { until } from "../../test/cluster/up/run.ts";
import type { Limit, Reading } from "../measure.ts";
import { exactly, inTurn, pairs, rounds, spread } from "../measure.ts";
import type { Place } from "../place.ts";
import { run } from "../run-process.ts";
import { askedBy } from "./asked.ts";
import type { Ground } from "./ground.ts";

/** Another implementation of the protocol, native and polling, as it was measured on this cluster; running, it took 28 ms. */
const other = { what: "a native one that polls, measured before", freshMs: 2_060, fresh: 8, running: 4 } as const;

const root = fileURLToPath(new URL("../..", import.meta.url));

export async function clusterProvider(ground: Ground, place: Place): Promise<Reading[]> {
  const { signal } = place;
  const file = join(place.folder(), "buzz-backend-moorage.cjs");
  await bundleProvider(root, file);
  const image = await pushClientsImage(ground.layout);
  const namespace = await ground.namespace();
  const env = { ...place.env, KUBECONFIG: ground.kubeconfig };
  const deploy = async (key: string): Promise<number> => {
    const input = JSON.stringify(requestFor(key, namespace, image));
    const { ms, stdout } = await run([process.execPath, file], { env, signal, input });
    if (!stdout.startsWith('{"ok":true,')) throw new Error(`it does not run: ${stdout}`);
    return ms;
  };
  const pods = `/api/v1/namespaces/${namespace}/pods`;
  const gone = async (): Promise<void> => {
    await ground.ask("DELETE", pods, { kind: "DeleteOptions", apiVersion: "v1", gracePeriodSeconds: 1 });
    await until("the pods are gone", async () => (await ground.ask("GET", pods)).body.includes('"items":[]'));
  };
  try {
    const freshTime = await timesOfFresh(() => deploy(newKey()), gone, signal);
    const known = newKey();
    for (let warm = 0; warm < 3; warm += 1) await deploy(known);
    const fresh = await askedBy(ground, namespace, () => deploy(newKey()));
    const running = await askedBy(ground, namespace, () => deploy(known));
    return [
      freshTime,
      await pairs({
        what: "of a running agent, to the answer",
        against: "node -e 0",
        unit: "ms",
        least: 30,
        most: 120,
        limit: { kind: "atMost", value: 5 },
        signal,
        sample: inTurn(
          () => deploy(known),
          async () => (await run(place.bareBoot, { env, signal })).ms,
        ),
      }),
      requests("of a fresh agent", fresh.length, other.fresh, { kind: "under", value: other.fresh }),
      requests("of a running agent", running.length, other.running, { kind: "atMost", value: 1 }),
    ];
  } finally {
    if (!signal.aborted) await ground.remove(namespace);
  }
}

/** One pod at a time. A kubelet looks once a second: each round begins at another moment of that second. */
async function timesOfFresh(
  start: () => Promise<number>,
  gone: () => Promise<void>,
  signal: AbortSignal,
): Promise<Reading> {
  const limit = { kind: "under", value: other.freshMs } as const;
  const samples = await rounds({
    least: 15,
    most: 30,
    limit,
    signal,
    sample: async (round) => {
      await sleep((round * 370) % 1_000, undefined, { signal });
      const ms = await start();
      await gone();
      return ms;
    },
    compared: (ms) => ms,
  });
  const ours = { unit: "ms", value: spread(samples) } as const;
  return {
    what: "of a fresh agent, to the answer",
    ours,
    against: other.what,
    baseline: { unit: "ms", value: exactly(other.freshMs) },
    compared: ours,
    limit,
  };
}

function requests(what: string, ours: number, theirs: number, limit: Limit): Reading {
  const count = (value: number) => ({ unit: "requests", value: exactly(value) }) as const;
  return { what, ours: count(ours), against: other.what, baseline: count(theirs), compared: count(ours), limit };
}

/** Any number of 32 bytes but a few is one. */
function newKey(): string {
  return randomBytes(32).toString("hex");
}

function requestFor(key: string, namespace: string, image: string): object {
  return {
    op: "deploy",
    agent: {
      name: "scribe",
      relay_url: "wss://relay.example",
      private_key_nsec: key,
      auth_tag: "not-a-real-value",
      launch: { command: "goose", env: { [scriptVariable]: "trap 'exit 0' TERM; sleep 100000 & wait" } },
    },
    provider_config: {
      namespace,
      image,
      cpu_request: "10m",
      memory_request: "16Mi",
      cpu_limit: "1",
      memory_limit: "64Mi",
    },
  };
}
