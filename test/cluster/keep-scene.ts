/** `moorage keep` as the Deployment that is shipped, with one agent to keep, in a namespace of its own on our own cluster. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Json } from "@moorage/core";
import { moorageProfile } from "@moorage/core";
import { parseAllDocuments } from "yaml";
import type { Call } from "../machine/place.ts";
import { runningContainers } from "./containers.ts";
import type { PodObject } from "./harness-scene.ts";
import { enforceRestricted, workspaceOf } from "./harness-scene.ts";
import type { OnCluster } from "./on-cluster.ts";
import { openOnCluster } from "./on-cluster.ts";
import { patienceMs } from "./scene.ts";
import { pushCommandImage } from "./up/command-image.ts";
import type { Layout } from "./up/layout.ts";
import { until } from "./up/run.ts";

/** Ends as the file says that somebody puts into its workspace. */
const script =
  "trap 'exit 0' TERM; echo begun; while :; do [ -e crash ] && exit 7; [ -e done ] && exit 0; sleep 0.1; done";

export interface KeepScene {
  readonly on: OnCluster;
  /** Starts the agent from here, and tells the UID of its pod. */
  deploy(): Promise<string>;
  /** The UID of the agent's pod; null when it has none. */
  uid(): Promise<string | null>;
  /** Waits until the agent's container runs in another pod than this, and tells its UID. */
  untilRevived(before: string): Promise<string>;
  /** Has the agent end. */
  end(how: "crash" | "done"): Promise<void>;
  /** Containers of the agent that run, by the word of the runtimes. */
  alive(): number;
  /** Removes the agent's pod as anybody could. */
  removePod(): Promise<void>;
  /** Lines of the Deployment's pod that is there now. */
  keepSays(): Promise<readonly string[]>;
  /** Waits until the last of them tells that. */
  untilKeepSays(words: string): Promise<void>;
  /** Kills its pod, and waits until there is another one. */
  killKeep(): Promise<void>;
  /** A second one, as a process beside it. */
  keepHere(): Call;
  close(): Promise<void>;
}

/** The pods that are there, with what tells whose they are. */
interface Listed extends PodObject {
  readonly metadata: PodObject["metadata"] & { readonly labels?: Readonly<Record<string, string>> };
}

let pushed: Promise<string> | null = null;

export async function openKeepScene(own: Layout): Promise<KeepScene> {
  pushed ??= pushCommandImage(own);
  const image = await pushed;
  const on = await openOnCluster();
  const { api, namespace } = on;
  await enforceRestricted(on);
  const file = on.declare("scribe", script, "revive: onFailure");
  await apply(on, "rbac.yaml", image, file);
  await apply(on, "keep.yaml", image, file);

  const pods = async (keep: boolean): Promise<Listed[]> => {
    const { object } = await api.send("GET", namespace.path("pods"));
    const { items } = object as { readonly items: readonly Listed[] };
    return items.filter(({ metadata }) => (metadata.labels?.["app.kubernetes.io/name"] === "moorage-keep") === keep);
  };
  const agent = async (): Promise<Listed | null> => (await pods(false))[0] ?? null;
  const keepSays = async (): Promise<readonly string[]> => {
    const [pod] = await pods(true);
    if (pod === undefined) return [];
    return (await api.text(`${namespace.path("pods", pod.metadata.name)}/log`)).split("\n").filter(Boolean);
  };
  const alive = (): number => runningContainers(own, namespace.name, moorageProfile.container);
  const uid = async (): Promise<string | null> => (await agent())?.metadata.uid ?? null;
  return {
    on,
    uid,
    alive,
    keepSays,
    async deploy() {
      const told = await on.askOne(["deploy"]);
      if (told.outcome !== "started") throw new Error(`not started: ${JSON.stringify(told)}`);
      return (await uid()) ?? "";
    },
    async untilRevived(before) {
      const other = async (): Promise<boolean> => {
        const pod = await agent();
        const running = pod?.status.containerStatuses?.[0]?.state.running !== undefined;
        return running && pod?.metadata.uid !== before;
      };
      await until("it runs again", other, patienceMs);
      return (await uid()) ?? "";
    },
    async end(how) {
      const pod = await agent();
      if (pod === null) throw new Error("there is no agent to end");
      writeFileSync(join(workspaceOf(on, pod), how), "");
    },
    async removePod() {
      const pod = await agent();
      await api.send("DELETE", namespace.path("pods", pod?.metadata.name ?? ""));
      await until("its pod is gone", async () => (await agent()) === null, patienceMs);
    },
    untilKeepSays: (words) =>
      until(`keep says: ${words}`, async () => (await keepSays()).at(-1)?.includes(words) === true, patienceMs),
    async killKeep() {
      const [before] = await pods(true);
      const path = namespace.path("pods", before?.metadata.name ?? "");
      await api.send("DELETE", path, { apiVersion: "v1", kind: "DeleteOptions", gracePeriodSeconds: 0 });
      const another = async (): Promise<boolean> => {
        const there = await pods(true);
        return there.length === 1 && there[0]?.metadata.uid !== before?.metadata.uid;
      };
      await until("another keep is there", another, patienceMs);
    },
    keepHere: () => on.place.start(["keep", ...on.flags], { env: on.env }),
    close: () => on.end(),
  };
}

/** Where objects of these kinds are made. */
const places: Readonly<Record<string, string>> = {
  ServiceAccount: "/api/v1/namespaces/NS/serviceaccounts",
  ConfigMap: "/api/v1/namespaces/NS/configmaps",
  Role: "/apis/rbac.authorization.k8s.io/v1/namespaces/NS/roles",
  RoleBinding: "/apis/rbac.authorization.k8s.io/v1/namespaces/NS/rolebindings",
  Deployment: "/apis/apps/v1/namespaces/NS/deployments",
};

/** As a person does who puts in what is theirs: the namespace, the image and the declarations. */
async function apply({ api, namespace }: OnCluster, manifest: string, image: string, file: string): Promise<void> {
  const text = readFileSync(new URL(`../../manifests/${manifest}`, import.meta.url), "utf8")
    .replaceAll("namespace: agents", `namespace: ${namespace.name}`)
    .replaceAll(/registry\.example\/moorage:\S+/g, image);
  for (const document of parseAllDocuments(text)) {
    const object = document.toJS() as { readonly kind: string; readonly data?: object };
    const given =
      object.kind === "ConfigMap" ? { ...object, data: { "scribe.yaml": readFileSync(file, "utf8") } } : object;
    const path = (places[object.kind] ?? "").replace("NS", namespace.name);
    const { status } = await api.send("POST", path, given as Json);
    if (status !== 201) throw new Error(`${manifest}: ${object.kind} was answered with ${status}`);
  }
}
