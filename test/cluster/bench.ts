/** The bench over a namespace of its own on the cluster of this run: real pods, callers in processes of their own. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { InstanceSpec, Json, Marks, PodTemplate, StartOutcome, StopOutcome } from "@moorage/core";
import { instanceMarks, intentDigest, moorageProfile, parseAttempt, secretName } from "@moorage/core";
import { sha256, systemRandom } from "@moorage/keys";
import { buildSync } from "esbuild";
import type { Bench, Fixture, Foreign, Planted } from "../conformance/bench.ts";
import type { CallersApart } from "../conformance/callers-apart.ts";
import { callersApart } from "../conformance/callers-apart.ts";
import type { CallerTask } from "./caller.ts";
import { harnessImage } from "./harness-scene.ts";
import { secretValue, templateOf } from "./kubernetes-agent.ts";
import { openScene, patienceMs } from "./scene.ts";
import { thisCluster } from "./this-cluster.ts";
import { until } from "./up/run.ts";

export const kubernetes: Fixture = {
  name: "Kubernetes",
  starts: 64,
  exceptions: {
    abandoned: "whoever creates a pod is not needed any more once it is there",
    unjudgeable: "the API server judges for everybody",
    ...(thisCluster().own === null ? { idles: "an idle limit needs the harness in the image" } : {}),
  },
  make: makeBench,
};

async function makeBench(): Promise<Bench> {
  const scene = await openScene();
  const { here, api, namespace, agent, identity, name, substrate, start, stop, untilContainer } = scene;
  let callers: CallersApart<CallerTask> | null = null;
  const folder = mkdtempSync(join(tmpdir(), "callers-"));
  const callApart = (task: Partial<CallerTask>): Promise<StartOutcome | StopOutcome | null> => {
    callers ??= callersApart(bundledCaller(folder));
    const { name } = namespace;
    const given = { kind: "start", namespace: name, agent, ask: {}, deadlineMs: patienceMs, death: null } as const;
    return callers.call({ ...given, ...task });
  };

  const plant = async (wanted: Planted): Promise<void> => {
    switch (wanted) {
      case "running":
        await start();
        return;
      case "ending":
        await start({ behaviour: "endsSlowly" });
        await stop(0);
        return;
      case "terminated":
        await start({ behaviour: "endsAtOnce" });
        return untilContainer("it has ended", ({ state }) => state === "terminated");
      case "recoverable":
        // Of the declaration 0, and on a node that is not there.
        await create({ nodeSelector: { nowhere: "true" } }, true);
        return;
      case "secretMissing":
        await create({}, false);
        return untilContainer(
          "it misses its Secret",
          (container) => container.state === "waiting" && container.suspicion.kind === "secretMissing",
        );
      case "invalidImage":
        await create({ image: "Not/An Image" }, true);
        return untilContainer(
          "its image is invalid",
          (container) => container.state === "waiting" && container.suspicion.kind === "invalidImage",
        );
      case "pullFailing":
        await create({ image: here.image.replace(/@sha256:.*$/, `@sha256:${"0".repeat(64)}`) }, true);
        return untilContainer(
          "its pull fails",
          (container) => container.state === "waiting" && container.suspicion.kind === "pull",
        );
      case "interrupted":
        // On no node, so that no kubelet corrects what is written here.
        await create({ nodeSelector: { nowhere: "true" } }, true);
        return writeRestart();
      case "abandoned":
      case "unjudgeable":
        throw new Error(`${wanted} is not to be had here`);
      default:
        wanted satisfies never;
    }
  };

  /** As the kubelet writes it of a container that it restarts in place. */
  const writeRestart = (): Promise<void> =>
    until("the restart is written", async () => {
      const { object } = await api.send("GET", namespace.path("pods", name));
      const pod = object as { status: Record<string, Json> };
      const container = {
        name: moorageProfile.container,
        image: here.image,
        imageID: "",
        ready: false,
        restartCount: 1,
        state: { waiting: { reason: "CrashLoopBackOff" } },
        lastState: { terminated: { exitCode: 1, reason: "Error" } },
      };
      const written = { ...pod, status: { ...pod.status, containerStatuses: [container] } };
      return (await api.send("PUT", `${namespace.path("pods", name)}/status`, written)).status === 200;
    });

  /** An instance whose marks say declaration 0, with a change that they do not know of. */
  const create = async (change: Partial<PodTemplate>, withSecret: boolean): Promise<void> => {
    const template = templateOf(here.image, {});
    const attempt = parseAttempt(systemRandom.token(moorageProfile.attemptDigits));
    if (attempt === undefined) throw new Error("no attempt");
    const secret = secretName(moorageProfile, identity, attempt);
    const marks = instanceMarks(moorageProfile, identity, intentDigest(template, sha256), { name: agent });
    const spec: InstanceSpec = { name, secret, template: { ...template, ...change }, ...marks };
    if (withSecret) await substrate.createSecret({ name: secret, data: new Map([["API_KEY", secretValue]]), ...marks });
    const made = await substrate.createInstance(spec);
    if (made.kind !== "created") throw new Error(JSON.stringify(made));
  };

  const plantForeign = async (what: Foreign): Promise<void> => {
    const { labels, annotations } = instanceMarks(moorageProfile, identity, "m1:foreign", {});
    const selector = `${moorageProfile.domain}/${moorageProfile.identityLabel}`;
    const marks: Record<Foreign, { name: string } & Marks> = {
      ourName: { name, labels: {}, annotations: {} },
      ourLabel: { name: "somebody-elses", labels: { [selector]: labels[selector] ?? "" }, annotations: {} },
      halfOfOurMarks: {
        name,
        labels,
        annotations: {
          ...annotations,
          [`${moorageProfile.domain}/${moorageProfile.identityAnnotation}`]: "f".repeat(64),
        },
      },
    };
    const pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { ...marks[what] },
      spec: { nodeSelector: { nowhere: "true" }, containers: [{ name: "other", image: here.image }] },
    };
    const { status } = await api.send("POST", namespace.path("pods"), pod);
    if (status !== 201) throw new Error(`planting answered ${status}`);
    // The scheduler writes that no node takes it; what changes after that was somebody else.
    await until("the scheduler has judged it", async () => {
      const { object } = await api.send("GET", namespace.path("pods", marks[what].name));
      const { conditions = [] } = (object as { status: { conditions?: { type: string; reason?: string }[] } }).status;
      return conditions.some(({ type, reason }) => type === "PodScheduled" && reason === "Unschedulable");
    });
  };

  return {
    agent,
    identity,
    name,
    substrate,
    secretValue,
    start: async (ask = {}) =>
      start(ask.behaviour === "idles" && here.own !== null ? { ...ask, image: await harnessImage(here.own) } : ask),
    startAll: async (asks) => {
      const outcomes = await Promise.all(asks.map((ask) => callApart({ ask })));
      return outcomes.map((outcome) => {
        if (outcome === null) throw new Error("a caller died");
        return outcome as StartOutcome;
      });
    },
    stop,
    startAndDie: async (death) => (await callApart({ death })) === null,
    stopAndDie: async (death) => (await callApart({ kind: "stop", death })) === null,
    plant,
    plantForeign,
    removeSecret: scene.removeSecret,
    alive: scene.alive,
    until,
    async end() {
      callers?.end();
      rmSync(folder, { recursive: true });
      await scene.end();
    },
  };
}

/** One file instead of a hundred: what 64 callers need at once is a fifth then, in time and in memory. */
function bundledCaller(folder: string): string {
  const program = join(folder, "caller.mjs");
  buildSync({
    entryPoints: [fileURLToPath(new URL("./caller.ts", import.meta.url))],
    outfile: program,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node24",
    external: ["@kubernetes/client-node"],
    banner: { js: 'const require = process.getBuiltinModule("node:module").createRequire(import.meta.url);' },
  });
  return program;
}
