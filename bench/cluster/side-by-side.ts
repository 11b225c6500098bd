// The same pod by kubectl, `apply` and then `wait`, and by us: whole processes, from the call until it is known to run.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { auditMark, requestsSince } from "../../test/cluster/up/audit.ts";
import { givenBinary } from "../../test/cluster/up/binary.ts";
import { until } from "../../test/cluster/up/run.ts";
import type { Limit, Reading } from "../measure.ts";
import { rounds, spread } from "../measure.ts";
import type { Place } from "../place.ts";
import type { CommandLine } from "../run-process.ts";
import { run } from "../run-process.ts";
import { declareSleeper } from "./agents.ts";
import type { Ground } from "./ground.ts";
import { observe } from "./observer.ts";

interface Pod {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly labels: unknown;
    readonly annotations: unknown;
  };
  readonly spec: Record<string, unknown>;
}

/** Milliseconds of one run. */
interface Run {
  /** From the call to the end of the process. */
  readonly whole: number;
  /** Without what passes between the arrival of the create at the API server and the moment when it runs: that is the cluster's. */
  readonly own: number;
}

export async function clusterSideBySide(ground: Ground, place: Place): Promise<Reading[]> {
  const kubectl = findKubectl(ground);
  if (kubectl === null) {
    console.log("cluster-side-by-side: left out, because there is no kubectl in PATH or in MOORAGE_CLUSTER_BINARIES");
    return [];
  }
  const { signal } = place;
  const namespace = await ground.namespace();
  const observer = await observe(ground, namespace, signal);
  const pods = `/api/v1/namespaces/${namespace}/pods`;
  const options = { ...place, env: { ...place.env, KUBECONFIG: ground.kubeconfig } };
  const asked = ["deploy", "--on", "kubernetes", "--namespace", namespace, "--file", declareSleeper(ground, place)];
  const deploy: CommandLine = [...place.moorage, ...asked];
  const list = async (): Promise<string> => (await ground.ask("GET", pods)).body;
  const gone = async (): Promise<void> => {
    await ground.ask("DELETE", pods, { kind: "DeleteOptions", apiVersion: "v1", gracePeriodSeconds: 1 });
    await until("the pod is gone", async () => (await list()).includes('"items":[]'));
  };
  const timed = async (command: CommandLine, phaseMs: number): Promise<Run> => {
    await sleep(phaseMs, undefined, { signal });
    const mark = auditMark(ground.layout);
    const [wall, monotonic] = [Date.now(), process.hrtime.bigint()];
    const { ms } = await run(command, options);
    const ran = Number((await observer.ran(onePod(await list()).metadata.uid)) - monotonic) / 1e6;
    const requests = await requestsSince(ground.layout, mark);
    const create = requests.find(
      (one) => one.verb === "create" && one.resource === "pods" && one.namespace === namespace,
    );
    if (create === undefined) throw new Error("the record has no create");
    await gone();
    return { whole: ms, own: ms - (ran - (create.at - wall)) };
  };
  try {
    await run(deploy, options);
    const file = join(place.folder(), "pod.json");
    const pod = onePod(await list());
    writeFileSync(file, JSON.stringify(manifestOf(pod)));
    await gone();
    const call = `"$0" -n ${namespace} apply -f ${file} && "$0" -n ${namespace} wait --for=condition=Ready --timeout=60s pod/${pod.metadata.name}`;
    const theirs: CommandLine = ["/bin/sh", "-c", call, kubectl];
    await timed(theirs, 0);
    const samples = await rounds({
      least: 20,
      most: 40,
      limit: ownLimit,
      signal,
      sample: async (round) => {
        // A kubelet looks once a second: each pair begins at another moment of its second, both alike.
        const phaseMs = (round * 370) % 1_000;
        const baseline = round % 2 === 0 ? await timed(theirs, phaseMs) : null;
        const ours = await timed(deploy, phaseMs);
        return { ours, baseline: baseline ?? (await timed(theirs, phaseMs)) };
      },
      compared: ({ ours, baseline }) => ours.own / baseline.own,
    });
    return [
      reading("one pod, until it is known to run: the tool's own part", samples, "own", ownLimit),
      reading("one pod, from the call until it is known to run", samples, "whole", { kind: "atMost", value: 1.05 }),
    ];
  } finally {
    observer.end();
    if (!signal.aborted) await ground.remove(namespace);
  }
}

const ownLimit = { kind: "under", value: 1 } as const;

function reading(
  what: string,
  samples: readonly { readonly ours: Run; readonly baseline: Run }[],
  part: keyof Run,
  limit: Limit,
): Reading {
  return {
    what,
    ours: { unit: "ms", value: spread(samples.map(({ ours }) => ours[part])) },
    against: "kubectl apply, then kubectl wait",
    baseline: { unit: "ms", value: spread(samples.map(({ baseline }) => baseline[part])) },
    compared: { unit: "×", value: spread(samples.map(({ ours, baseline }) => ours[part] / baseline[part])) },
    limit,
  };
}

function onePod(list: string): Pod {
  const [pod] = (JSON.parse(list) as { readonly items: readonly Pod[] }).items;
  if (pod === undefined) throw new Error("the pod is not there");
  return pod;
}

function findKubectl({ binaries }: Ground): string | null {
  const path = spawnSync("sh", ["-c", "command -v kubectl"], { encoding: "utf8" }).stdout.trim();
  return path === "" ? givenBinary(binaries, "kubectl") : path;
}

/** What was sent for a pod: without what the server and the scheduler added. */
function manifestOf({ metadata, spec }: Pod): object {
  const { nodeName: _, ...asked } = spec;
  const { name, labels, annotations } = metadata;
  return { apiVersion: "v1", kind: "Pod", metadata: { name, labels, annotations }, spec: asked };
}
