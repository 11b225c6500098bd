/** An agent of the image with the harness on a real pod of our own cluster: started, told through its workspace, and read. */
import { closeSync, fstatSync, openSync, readSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Json, StartOutcome } from "@moorage/core";
import { createAbort, startAgent } from "@moorage/core";
import { awakeClock } from "@moorage/harness";
import { sha256, systemRandom } from "@moorage/keys";
import type { HarnessAsk } from "./harness-template.ts";
import { harnessTemplateOf } from "./harness-template.ts";
import { secretValue, startRequestOf } from "./kubernetes-agent.ts";
import type { Scene } from "./scene.ts";
import { openScene, patienceMs } from "./scene.ts";
import type { ThisCluster } from "./this-cluster.ts";
import { pushHarnessImage } from "./up/harness-image.ts";
import type { Layout } from "./up/layout.ts";
import { podLogs } from "./up/node-config.ts";
import { until } from "./up/run.ts";

export interface HarnessScene extends Scene {
  readonly image: string;
  /** Starts `agent.mjs` with these arguments, or the command that is asked for. */
  startHarness(args: readonly string[], ask?: HarnessAsk): Promise<StartOutcome>;
  /** The lines of its container so far, as the API server tells them. */
  log(pod?: string): Promise<readonly string[]>;
  /** Waits until one of its lines is that. */
  says(line: string, pod?: string): Promise<void>;
  /** Puts a file into its workspace. */
  tell(file: string, pod?: string): Promise<void>;
  pod(name?: string): Promise<PodObject>;
  /** Keeps the object when it is deleted, so that the end of its container can be looked at; the returned function lets it go. */
  hold(): Promise<() => Promise<void>>;
  /** What its container writes, to be opened while it is there. */
  output(): Promise<PodOutput>;
  /** Waits until its container has ended. */
  untilEnded(pod?: string): Promise<ContainerStatus["state"]>;
}

export interface PodObject {
  readonly metadata: { readonly name: string; readonly uid: string; readonly deletionTimestamp?: string };
  readonly spec: { readonly nodeName: string; readonly containers: readonly Readonly<Record<string, Json>>[] };
  readonly status: { readonly phase: string; readonly containerStatuses?: readonly ContainerStatus[] };
}

interface ContainerStatus {
  readonly containerID: string;
  readonly restartCount: number;
  readonly state: {
    readonly running?: object;
    readonly terminated?: { readonly exitCode: number; readonly reason: string };
  };
}

let pushed: Promise<string> | null = null;

/** Pushed once for each run of a test file. */
export function harnessImage(layout: Layout): Promise<string> {
  pushed ??= pushHarnessImage(layout);
  return pushed;
}

export async function openHarnessScene(): Promise<HarnessScene> {
  const scene = await openScene();
  await enforceRestricted(scene);
  const own = ownLayout(scene.here);
  const image = await harnessImage(own);
  const interrupt = createAbort();
  const outputs: PodOutput[] = [];
  const ports = {
    substrate: scene.substrate,
    clock: awakeClock(),
    random: systemRandom,
    digest: sha256,
    journal: { append: () => undefined },
    signal: interrupt.signal,
  };
  const pod = async (name = scene.name): Promise<PodObject> => {
    const { status, object } = await scene.api.send("GET", scene.namespace.path("pods", name));
    if (status !== 200) throw new Error(`there is no pod ${name}: ${status}`);
    return object as PodObject;
  };
  const log = async (name = scene.name): Promise<readonly string[]> =>
    (await scene.api.text(`${scene.namespace.path("pods", name)}/log`)).split("\n").filter(Boolean);
  const setFinalizers = (finalizers: readonly string[]): Promise<void> =>
    until("its finalizers are set", async () => {
      const path = scene.namespace.path("pods", scene.name);
      const { status, object } = await scene.api.send("GET", path);
      if (status === 404) return true;
      const now = object as PodObject;
      const changed = { ...now, metadata: { ...now.metadata, finalizers } };
      return (await scene.api.send("PUT", path, changed as unknown as Json)).status === 200;
    });
  return {
    ...scene,
    image,
    startHarness: (args, ask = {}) => {
      const template = harnessTemplateOf(image, args, ask);
      const request = { ...startRequestOf(scene.agent, image, {}), template, deadlineMs: patienceMs };
      return startAgent({ ...request, secrets: new Map([["API_KEY", secretValue]]) }, ports);
    },
    log,
    says: (line, name) => until(`it says "${line}"`, async () => (await log(name)).includes(line), patienceMs),
    tell: async (file, name) => writeFileSync(join(workspaceOf(scene, await pod(name)), file), ""),
    pod,
    async hold() {
      await setFinalizers(["moorage.dev/held-by-a-test"]);
      return () => setFinalizers([]);
    },
    async output() {
      const opened = openOutput(scene, await pod());
      outputs.push(opened);
      return opened;
    },
    async untilEnded(name) {
      const state = async (): Promise<ContainerStatus["state"]> =>
        (await pod(name)).status.containerStatuses?.[0]?.state ?? {};
      await until("its container has ended", async () => (await state()).terminated !== undefined, patienceMs);
      return state();
    },
    async end() {
      interrupt.abort();
      for (const output of outputs) output.close();
      await setFinalizers([]);
      await scene.end();
    },
  };
}

/** Has its pods admitted under Pod Security "restricted" alone. */
export async function enforceRestricted({ api, namespace }: Pick<Scene, "api" | "namespace">): Promise<void> {
  const path = `/api/v1/namespaces/${namespace.name}`;
  const { object } = await api.send("GET", path);
  const { metadata } = object as { readonly metadata: { readonly labels?: Readonly<Record<string, string>> } };
  const labels = { ...metadata.labels, "pod-security.kubernetes.io/enforce": "restricted" };
  const { status } = await api.send("PUT", path, { ...(object as object), metadata: { ...metadata, labels } });
  if (status !== 200) throw new Error(`the namespace takes no label: ${status}`);
}

function ownLayout({ own }: ThisCluster): Layout {
  if (own === null) throw new Error("only on a cluster of ours: its registry takes images");
  return own;
}

/** Where the node keeps the workspace of a pod. */
export function workspaceOf(
  { here }: Pick<Scene, "here">,
  { metadata, spec }: { readonly metadata: { readonly uid: string }; readonly spec: { readonly nodeName: string } },
): string {
  const volumes = join(ownLayout(here).dir, spec.nodeName, "kubelet", "pods", metadata.uid, "volumes");
  return join(volumes, "kubernetes.io~empty-dir", "workspace");
}

interface PodOutput {
  lines(stream: "stdout" | "stderr"): readonly string[];
  close(): void;
}

/** What its container writes, by the word of the node, as long as it is open: a node removes the file with a pod that is deleted. */
function openOutput({ here, namespace }: Scene, { metadata, spec }: PodObject): PodOutput {
  const folder = `${namespace.name}_${metadata.name}_${metadata.uid}`;
  const fd = openSync(join(ownLayout(here).dir, spec.nodeName, podLogs, folder, "agent", "0.log"), "r");
  const whole = (): string => {
    const bytes = Buffer.alloc(fstatSync(fd).size);
    readSync(fd, bytes, 0, bytes.length, 0);
    return bytes.toString("utf8");
  };
  return {
    lines: (stream) =>
      whole()
        .split("\n")
        .map((line) => line.split(" "))
        .flatMap(([, of, , ...words]) => (of === stream ? [words.join(" ")] : [])),
    close: () => closeSync(fd),
  };
}
