/** The provider as a desktop client starts it, a process for each operation, on a namespace of its own of our cluster; and what the cluster shows of it. */
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Json } from "@moorage/core";
import type { Api } from "../api.ts";
import { apiOf } from "../api.ts";
import { runningContainers } from "../containers.ts";
import type { Namespace } from "../namespace.ts";
import { ownNamespace } from "../namespace.ts";
import { patienceMs } from "../scene.ts";
import { thisCluster } from "../this-cluster.ts";
import { adminRequest } from "../up/admin.ts";
import type { AskedRequest } from "../up/audit.ts";
import { auditMark, requestsSince } from "../up/audit.ts";
import type { Layout } from "../up/layout.ts";
import { until } from "../up/run.ts";
import { pushClientsImage, scriptVariable } from "./clients-image.ts";

export const privateKey = "0000000000000000000000000000000000000000000000000000000000000003";
/** Of that key: BIP 340, test vector 0. */
export const publicKey = "f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9";
export const podName = "buzz-agent-f9308a019258";

/** An agent that runs until it is asked to end. */
export const obedient = "trap 'exit 0' TERM; sleep 100000 & wait";

export interface Changes {
  /** What the agent does, in the shell of its image. */
  readonly script?: string;
  readonly agent?: Readonly<Record<string, Json>>;
  /** Of `launch.env`. */
  readonly env?: Readonly<Record<string, string>>;
  readonly config?: Readonly<Record<string, Json>>;
}

export interface Answered {
  readonly exit: number | NodeJS.Signals | null;
  readonly answer: { readonly ok: boolean; readonly agent_id?: string; readonly error?: string } | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Running {
  readonly child: ChildProcess;
  /** What it has told beside its answer so far. */
  stderr(): string;
  readonly answered: Promise<Answered>;
}

export interface KubernetesObject {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
  };
  readonly spec: Readonly<Record<string, unknown>> & {
    readonly containers: readonly [
      Readonly<Record<string, unknown>> & {
        readonly envFrom: readonly [{ readonly secretRef: { readonly name: string } }];
      },
    ];
  };
  readonly data: Readonly<Record<string, string>>;
  readonly status: {
    readonly phase: string;
    readonly containerStatuses?: readonly {
      readonly state: Readonly<Partial<Record<"running" | "terminated" | "waiting", object>>>;
    }[];
  };
}

export interface ProviderScene {
  readonly layout: Layout;
  readonly api: Api;
  readonly namespace: Namespace;
  readonly image: string;
  begin(changes?: Changes, kubeconfig?: string): Running;
  deploy(changes?: Changes, kubeconfig?: string): Promise<Answered>;
  /** A kubeconfig like the administrator's, with what is changed in it; its path. */
  kubeconfig(change: { readonly server?: string; readonly token?: string }): string;
  pod(): Promise<KubernetesObject>;
  pods(): Promise<readonly KubernetesObject[]>;
  /** Those of type Opaque. */
  secrets(): Promise<readonly KubernetesObject[]>;
  /** How many containers of the agent run, by their runtimes' word. */
  alive(): number;
  /** What was asked in this namespace meanwhile, such as `list pods`; the administrator's own questions too. */
  asked(work: () => Promise<unknown>): Promise<readonly string[]>;
  /** Settings with which no node takes the pod until the returned function is called. */
  nowhereYet(): { readonly config: Changes["config"] & object; readonly comes: () => Promise<void> };
  end(): Promise<void>;
}

const entrypoint = fileURLToPath(new URL("../../../packages/provider/src/main.ts", import.meta.url));

export function ownLayout(): Layout {
  const { own } = thisCluster();
  if (own === null) throw new Error("only on a cluster of ours: its registry takes images");
  return own;
}

let pushed: Promise<string> | null = null;

/** Pushed once for each run of a test file. */
function clientsImage(layout: Layout): Promise<string> {
  pushed ??= pushClientsImage(layout);
  return pushed;
}

export async function openProviderScene(options: { readonly namespaceMade?: boolean } = {}): Promise<ProviderScene> {
  const here = thisCluster();
  const layout = ownLayout();
  const api = apiOf(here);
  const image = await clientsImage(layout);
  const namespace = await ownNamespace(api, options.namespaceMade ?? true);
  const home = mkdtempSync(join(tmpdir(), "client-"));
  const children = new Set<ChildProcess>();
  let configs = 0;
  const labels: string[] = [];
  const label = async (key: string, value: string | null): Promise<void> => {
    const { status } = await adminRequest(layout, "PATCH", "/api/v1/nodes/node1", {
      metadata: { labels: { [key]: value } },
    });
    if (status !== 200) throw new Error(`the node takes no label: ${status}`);
  };

  const list = async (resource: string): Promise<readonly KubernetesObject[]> =>
    ((await api.send("GET", namespace.path(resource))).object as { items?: readonly KubernetesObject[] }).items ?? [];

  function begin(changes: Changes = {}, kubeconfig = here.kubeconfig()): Running {
    const env = { PATH: "/usr/bin:/bin", HOME: home, KUBECONFIG: kubeconfig };
    const child = spawn(process.execPath, [entrypoint], { cwd: home, env, stdio: ["pipe", "pipe", "pipe"] });
    children.add(child);
    let [stdout, stderr] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    const answered = new Promise<Answered>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code, signal) => {
        children.delete(child);
        const answer = stdout === "" ? null : (JSON.parse(stdout) as Answered["answer"]);
        resolve({ exit: code ?? signal, answer, stdout, stderr });
      });
    });
    child.stdin.end(JSON.stringify(requestOf(namespace.name, image, changes)));
    return { child, stderr: () => stderr, answered };
  }

  return {
    layout,
    api,
    namespace,
    image,
    begin,
    deploy: (changes, kubeconfig) => begin(changes, kubeconfig).answered,
    kubeconfig({ server, token }) {
      const config = JSON.parse(readFileSync(here.kubeconfig(), "utf8")) as Kubeconfig;
      const [{ cluster }] = config.clusters;
      const [{ user }] = config.users;
      const clusters = [{ ...config.clusters[0], cluster: { ...cluster, server: server ?? cluster.server } }];
      const users = [{ ...config.users[0], user: { token: token ?? user.token } }];
      configs += 1;
      const path = join(home, `config-${configs}`);
      writeFileSync(path, JSON.stringify({ ...config, clusters, users }), { mode: 0o600 });
      return path;
    },
    async pod() {
      const { status, object } = await api.send("GET", namespace.path("pods", podName));
      if (status !== 200) throw new Error(`there is no ${podName}: ${status}`);
      return object as KubernetesObject;
    },
    pods: () => list("pods"),
    secrets: () => list("secrets"),
    alive: () => runningContainers(layout, namespace.name, "agent"),
    async asked(work) {
      const mark = auditMark(layout);
      await work();
      const ours = (one: AskedRequest): boolean => one.userAgent === "moorage" && one.namespace === namespace.name;
      return (await requestsSince(layout, mark)).filter(ours).map(({ verb, resource }) => `${verb} ${resource}`);
    },
    nowhereYet() {
      const key = `moorage.dev/${namespace.name}`;
      return {
        config: { pod_options: { node_selector: { [key]: "here" } } },
        comes: async () => {
          labels.push(key);
          await label(key, "here");
        },
      };
    },
    async end() {
      for (const child of children) child.kill("SIGKILL");
      await until("its processes are over", () => children.size === 0);
      for (const key of labels) await label(key, null);
      await namespace.remove();
      api.close();
      rmSync(home, { recursive: true });
    },
  };
}

interface Kubeconfig {
  readonly clusters: readonly [{ readonly cluster: Readonly<Record<string, string>> }];
  readonly users: readonly [{ readonly user: Readonly<Record<string, string>> }];
}

/** With little of what a node has set aside, so that many fit. */
function requestOf(namespace: string, image: string, { script = obedient, agent, env, config }: Changes): Json {
  return {
    op: "deploy",
    request_id: "r-1",
    agent: {
      name: "worker",
      relay_url: "wss://relay.example",
      private_key_nsec: privateKey,
      auth_tag: "tag-of-the-owner",
      launch: {
        command: "goose",
        args: ["acp", "--quiet"],
        policy_env: { GOOSE_MODE: "automatic" },
        env: { GOOSE_MODEL: "model-of-the-user", [scriptVariable]: script, ...env },
        owner_pubkey: "b".repeat(64),
      },
      ...agent,
    },
    provider_config: { namespace, image, cpu_request: "10m", memory_request: "16Mi", ...config },
  };
}

export function isRunning({ status }: KubernetesObject): boolean {
  return status.containerStatuses?.[0]?.state.running !== undefined;
}

/** Waits until the agent's own pod is as wanted. */
export async function untilPod(
  scene: Pick<ProviderScene, "pods">,
  what: string,
  holds: (pod: KubernetesObject) => boolean,
): Promise<void> {
  const own = async (): Promise<boolean> =>
    (await scene.pods()).some((pod) => pod.metadata.name === podName && holds(pod));
  await until(`${podName} ${what}`, own, patienceMs);
}
