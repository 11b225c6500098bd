/** What people want to know of a pod beside whether it runs: where, since when, from which image, with how much. */
import type { BindingProfile } from "@moorage/core";
import { markedIdentity } from "@moorage/core";
import { answerFault } from "./cluster-error.ts";
import { decodeMetadata } from "./decode-metadata.ts";
import type { Fields } from "./json-fields.ts";
import { fieldsOf, listOf, textOf } from "./json-fields.ts";
import type { Metrics } from "./metrics.ts";
import { named } from "./object-parts.ts";
import { ourSelector, pathOf, withQuery } from "./paths.ts";
import { workspaceVolume } from "./pod-template.ts";
import type { ClusterScope, Requests } from "./requests.ts";
import { onlyTrouble } from "./requests.ts";

export interface PodFacts {
  readonly name: string;
  readonly uid: string;
  /** ISO 8601 by the API server's clock. */
  readonly createdAt: string;
  readonly node: string | null;
  /** The reference in the specification; empty when our container is not in it. */
  readonly image: string;
  /** What the node says that it runs, with its digest. */
  readonly imageId: string | null;
  /** Milliseconds between SIGTERM and SIGKILL. */
  readonly graceMs: number;
  /** How often our container was started again in place. */
  readonly restarts: number;
  /** Kubernetes' own word. */
  readonly phase: string;
  readonly podIp: string | null;
  /** The claim that its workspace is on; null: the workspace goes with the pod. */
  readonly workspaceClaim: string | null;
  /** The harness was told what to run. */
  readonly harness: boolean;
  /** Bytes in use; null where nobody measures. */
  readonly memoryBytes: number | null;
  /** Nobody on a cluster tells how much it has used in all. */
  readonly cpuMs: null;
  /** Cores in use, such as 0.25; null where nobody measures. */
  readonly cpuCores: number | null;
}

/** Milliseconds for which a read of the whole scope still tells what people want to know. */
const freshMs = 1_000;

export class Facts {
  readonly #scope: ClusterScope;
  readonly #requests: Requests;
  readonly #metrics: Metrics;
  #listed: { readonly at: number; readonly facts: readonly PodFacts[] } | null = null;

  constructor(scope: ClusterScope, requests: Requests, metrics: Metrics) {
    this.#scope = scope;
    this.#requests = requests;
    this.#metrics = metrics;
  }

  /** All pods of ours were just listed: who asks for the facts of many next is told of the same moment, and they are not sent twice. */
  listed(pods: readonly Fields[]): void {
    this.#listed = { at: this.#scope.clock.now(), facts: this.#of(pods) };
  }

  /**
   * Of all pods of ours, or of those with these names, in the order of their names; what is not there, or somebody else's,
   * is missing. Throws a `ClusterError`.
   */
  async read(names: readonly string[] | null): Promise<readonly PodFacts[]> {
    if (names?.length === 0) return [];
    const wanted = names === null ? null : new Set(names);
    const [only] = wanted?.size === 1 ? wanted : [];
    const [facts, usages] = await Promise.all([
      only === undefined ? this.#all() : this.#one(only),
      this.#metrics.read(only ?? null),
    ]);
    return facts
      .filter(({ name }) => wanted === null || wanted.has(name))
      .map((one) => ({ ...one, ...usages.get(one.name) }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  async #one(name: string): Promise<readonly PodFacts[]> {
    const pod = await this.#get("get", pathOf(this.#scope.namespace, "pods", name), name);
    return pod === null ? [] : this.#of([pod]);
  }

  async #all(): Promise<readonly PodFacts[]> {
    const listed = this.#listed;
    this.#listed = null;
    if (listed !== null && this.#scope.clock.now() - listed.at <= freshMs) return listed.facts;
    const query = { labelSelector: ourSelector(this.#scope.profile) };
    const list = await this.#get("list", withQuery(pathOf(this.#scope.namespace, "pods"), query), "NAME");
    return this.#of(listOf(list?.["items"]).map(fieldsOf));
  }

  async #get(verb: "get" | "list", path: string, name: string): Promise<Fields | null> {
    const answer = await this.#requests.get(verb, "pods", path);
    if (answer.kind === "success") return answer.object;
    if (answer.kind === "notFound" || answer.kind === "scopeMissing") return null;
    throw answerFault(onlyTrouble(answer), name);
  }

  #of(pods: readonly Fields[]): readonly PodFacts[] {
    return pods.map((pod) => factsOf(pod, this.#scope.profile)).filter((one) => one !== null);
  }
}

/** Null for what is not ours, or no object of an API server. */
function factsOf(pod: Fields, profile: BindingProfile): PodFacts | null {
  const metadata = decodeMetadata(pod);
  if (metadata === null || metadata.createdAt === null || markedIdentity(metadata, profile) === undefined) return null;
  const spec = fieldsOf(pod["spec"]);
  const status = fieldsOf(pod["status"]);
  const container = named(spec["containers"], profile.container);
  const told = named(status["containerStatuses"], profile.container);
  const grace = spec["terminationGracePeriodSeconds"];
  const restarts = told["restartCount"];
  return {
    name: metadata.name,
    uid: metadata.fence.uid,
    createdAt: new Date(metadata.createdAt).toISOString(),
    node: textOf(spec["nodeName"]),
    image: textOf(container["image"]) ?? "",
    imageId: textOf(told["imageID"]),
    graceMs: typeof grace === "number" ? grace * 1000 : 30_000,
    restarts: typeof restarts === "number" ? restarts : 0,
    phase: textOf(status["phase"]) ?? "Unknown",
    podIp: textOf(status["podIP"]),
    workspaceClaim: claimOf(spec),
    harness: listOf(container["env"]).some((one) => fieldsOf(one)["name"] === "MOORAGE_COMMAND"),
    memoryBytes: null,
    cpuMs: null,
    cpuCores: null,
  };
}

/** The workspace is the volume of that name: see the pod's template. */
export function claimOf(spec: Fields): string | null {
  return textOf(fieldsOf(named(spec["volumes"], workspaceVolume)["persistentVolumeClaim"])["claimName"]);
}
