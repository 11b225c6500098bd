/** Memory and CPU of pods by the metrics API, which a cluster may have or not. */
import type { Fields } from "./json-fields.ts";
import { fieldsOf, listOf, textOf } from "./json-fields.ts";
import { named } from "./object-parts.ts";
import { ourSelector, withQuery } from "./paths.ts";
import { parseQuantity } from "./quantity.ts";
import type { ClusterScope, Requests } from "./requests.ts";

interface PodUsage {
  readonly memoryBytes: number | null;
  readonly cpuCores: number | null;
}

/** By the pods' names; empty where nobody measures. */
type Usages = ReadonlyMap<string, PodUsage>;

const none: Usages = new Map();

/** What was found out about the metrics API lasts as long as this object. */
export class Metrics {
  readonly #scope: ClusterScope;
  readonly #requests: Requests;
  /** It is not installed here, or not for us. */
  #absent = false;

  constructor(scope: ClusterScope, requests: Requests) {
    this.#scope = scope;
    this.#requests = requests;
  }

  /** Of all pods of ours, or of one. One request, and none once it is known that nobody answers it. It never fails. */
  async read(name: string | null): Promise<Usages> {
    if (this.#absent) return none;
    const { namespace, profile } = this.#scope;
    const pods = `/apis/metrics.k8s.io/v1beta1/namespaces/${encodeURIComponent(namespace)}/pods`;
    const resource = "pods.metrics.k8s.io";
    const answer =
      name === null
        ? await this.#requests.get("list", resource, withQuery(pods, { labelSelector: ourSelector(profile) }))
        : await this.#requests.get("get", resource, `${pods}/${encodeURIComponent(name)}`);
    if (answer.kind !== "success") {
      // What is busy, or has not measured this pod yet, may answer the next time.
      if (answer.kind !== "unavailable" && answer.kind !== "notFound") this.#absent = true;
      return none;
    }
    const items = name === null ? listOf(answer.object["items"]).map(fieldsOf) : [answer.object];
    return new Map(items.flatMap((item) => usageOf(item, profile.container)));
  }
}

function usageOf(item: Fields, container: string): [string, PodUsage][] {
  const name = textOf(fieldsOf(item["metadata"])["name"]);
  if (name === null) return [];
  const { memory, cpu } = fieldsOf(named(item["containers"], container)["usage"]);
  return [[name, { memoryBytes: parseQuantity(memory), cpuCores: parseQuantity(cpu) }]];
}
