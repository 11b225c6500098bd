/** The real command on a namespace of its own of this run's cluster, run as a person runs it. */
import type { CallOptions, Ran, Told } from "../machine/place.ts";
import { Place } from "../machine/place.ts";
import type { Api } from "./api.ts";
import { apiOf } from "./api.ts";
import type { Namespace } from "./namespace.ts";
import { ownNamespace } from "./namespace.ts";
import type { ThisCluster } from "./this-cluster.ts";
import { thisCluster } from "./this-cluster.ts";

/** An agent that runs until it is asked to end, and says so. */
export const obedient = "trap 'echo ending; exit 0' TERM; echo begun; while :; do sleep 0.2; done";

export interface OnCluster {
  readonly here: ThisCluster;
  readonly api: Api;
  readonly namespace: Namespace;
  readonly place: Place;
  /** An `agent.yaml` of one agent in a shell of the test image; `more` is YAML. */
  declare(name: string, script: string, more?: string, grace?: string): string;
  run(args: readonly string[], options?: CallOptions): Promise<Ran>;
  /** `--json` about one agent, with the exit code. */
  askOne(args: readonly string[], options?: CallOptions): ReturnType<Place["askOne"]>;
  ask(args: readonly string[], options?: CallOptions): ReturnType<Place["ask"]>;
  status(name: string): Promise<Told & { readonly node: string | null; readonly image: string | null }>;
  /** Names and UIDs of the pods that are there. */
  pods(): Promise<{ readonly name: string; readonly uid: string }[]>;
  secrets(): Promise<string[]>;
  /** Arguments and environment that reach the namespace. */
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  end(): Promise<void>;
}

interface Listed {
  readonly items: readonly { readonly metadata: { readonly name: string; readonly uid: string } }[];
}

export async function openOnCluster(options: { readonly namespaceMade?: boolean } = {}): Promise<OnCluster> {
  const here = thisCluster();
  const api = apiOf(here);
  const namespace = await ownNamespace(api, options.namespaceMade ?? true);
  const place = new Place();
  const flags = ["--on", "kubernetes", "--namespace", namespace.name];
  const env = { KUBECONFIG: here.kubeconfig() };
  const at = (call: CallOptions = {}): CallOptions => ({ ...call, env: { ...env, ...call.env } });
  const list = async (resource: string): Promise<Listed["items"]> =>
    ((await api.send("GET", namespace.path(resource))).object as Listed).items;
  return {
    here,
    api,
    namespace,
    place,
    flags,
    env,
    declare: (name, script, more = "", grace = "5s") =>
      place.declare(
        name,
        `run: { image: "${here.image}", command: [/bin/sh, -c], args: [${JSON.stringify(script)}] }
drain: 1s
grace: ${grace}
kubernetes: { resources: { requests: { cpu: 10m, memory: 16Mi }, limits: { memory: 64Mi } } }
${more}`,
      ),
    run: (args, call) => place.run([...args, ...flags], at(call)),
    askOne: (args, call) => place.askOne([...args, ...flags], at(call)),
    ask: (args, call) => place.ask([...args, ...flags], at(call)),
    status: async (name) => (await place.askOne(["status", name, ...flags], at())) as never,
    pods: async () => (await list("pods")).map(({ metadata: { name, uid } }) => ({ name, uid })),
    secrets: async () => (await list("secrets")).map(({ metadata }) => metadata.name),
    async end() {
      await place[Symbol.asyncDispose]();
      await namespace.remove();
      api.close();
    },
  };
}
