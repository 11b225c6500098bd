// The same pod by kubectl, `apply` and then `wait`, and by us: whole processes, from the call until it is known to run.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { givenBinary } from "../../test/cluster/up/binary.ts";
import { until } from "../../test/cluster/up/run.ts";
import type { Reading } from "../measure.ts";
import { inTurn, pairs } from "../measure.ts";
import type { Place } from "../place.ts";
import type { CommandLine } from "../run-process.ts";
import { run } from "../run-process.ts";
import { declareSleeper } from "./agents.ts";
import type { Ground } from "./ground.ts";

interface Pod {
  readonly metadata: { readonly name: string; readonly labels: unknown; readonly annotations: unknown };
  readonly spec: Record<string, unknown>;
}

export async function clusterSideBySide(ground: Ground, place: Place): Promise<Reading[]> {
  const kubectl = findKubectl(ground);
  if (kubectl === null) {
    console.log("cluster-side-by-side: left out, because there is no kubectl in PATH or in MOORAGE_CLUSTER_BINARIES");
    return [];
  }
  const namespace = await ground.namespace();
  const pods = `/api/v1/namespaces/${namespace}/pods`;
  const options = { ...place, env: { ...place.env, KUBECONFIG: ground.kubeconfig } };
  const asked = ["deploy", "--on", "kubernetes", "--namespace", namespace, "--file", declareSleeper(ground, place)];
  const deploy: CommandLine = [...place.moorage, ...asked];
  const gone = async (): Promise<void> => {
    await ground.ask("DELETE", pods, { kind: "DeleteOptions", apiVersion: "v1", gracePeriodSeconds: 1 });
    await until("the pod is gone", async () => /"items":\[\]/.test((await ground.ask("GET", pods)).body));
  };
  const timed = async (command: CommandLine, phaseMs: number): Promise<number> => {
    await sleep(phaseMs);
    const { ms } = await run(command, options);
    await gone();
    return ms;
  };
  try {
    await run(deploy, options);
    const manifest = manifestOf((await ground.ask("GET", pods)).body);
    const file = join(place.folder(), "pod.json");
    writeFileSync(file, JSON.stringify(manifest));
    await gone();
    const { name } = manifest.metadata;
    const call = `"$0" -n ${namespace} apply -f ${file} && "$0" -n ${namespace} wait --for=condition=Ready --timeout=60s pod/${name}`;
    const theirs: CommandLine = ["/bin/sh", "-c", call, kubectl];
    await timed(theirs, 0);
    return [
      await pairs({
        what: "one pod, from the call until it is known to run",
        against: "kubectl apply, then kubectl wait",
        unit: "ms",
        least: 20,
        most: 40,
        limit: { kind: "under", value: 1 },
        signal: place.signal,
        sample: (round) => {
          // A kubelet looks once a second: each pair begins at another moment of its second, both alike.
          const phaseMs = (round * 370) % 1_000;
          const pair = inTurn(
            () => timed(deploy, phaseMs),
            () => timed(theirs, phaseMs),
          );
          return pair(round);
        },
      }),
    ];
  } finally {
    if (!place.signal.aborted) await ground.remove(namespace);
  }
}

function findKubectl({ binaries }: Ground): string | null {
  const path = spawnSync("sh", ["-c", "command -v kubectl"], { encoding: "utf8" }).stdout.trim();
  return path === "" ? givenBinary(binaries, "kubectl") : path;
}

/** What was sent for the one pod that is there: without what the server and the scheduler added. */
function manifestOf(list: string): { readonly apiVersion: string; readonly kind: string } & Pod {
  const [pod] = (JSON.parse(list) as { readonly items: readonly Pod[] }).items;
  if (pod === undefined) throw new Error("the pod is not there");
  const { nodeName: _, ...spec } = pod.spec;
  const { name, labels, annotations } = pod.metadata;
  return { apiVersion: "v1", kind: "Pod", metadata: { name, labels, annotations }, spec };
}
