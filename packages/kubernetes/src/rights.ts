/** Every right that is ever asked of a cluster, in one list: the manifest, the docs page and doctor are made from it. */

export interface Right {
  readonly verb: "get" | "list" | "watch" | "create" | "delete";
  readonly resource: string;
  readonly subresource: string | null;
  /** The API group; empty for the core's. */
  readonly group: string;
  /** Whether a Role of the namespace can give it, or only a ClusterRole. */
  readonly reach: "namespace" | "cluster";
  /** `optional`: without it less is known or offered, and nothing fails that did not ask for it. */
  readonly level: "needed" | "optional";
  /** What it is for, in words that follow "to". */
  readonly why: string;
  readonly commands: readonly string[];
}

type Verb = Right["verb"];

const all = ["deploy", "restart", "keep", "stop", "status", "explain", "logs"] as const;
const starting = ["deploy", "restart", "keep"] as const;
const stopping = [...starting, "stop"] as const;
const waiting = [...stopping, "explain"] as const;

/** In the order in which people read them: first what everything needs. */
export const rights: readonly Right[] = [
  needed("list", "pods", "see which agents there are", all),
  needed("watch", "pods", "notice at once what happens to an agent", [...stopping, "status", "logs"]),
  needed("get", "pods", "look at one agent, and at what holds its name", all),
  needed("create", "pods", "start an agent", starting),
  needed("delete", "pods", "stop an agent, and make way for a new start", stopping),
  needed("list", "secrets", "find what earlier starts left behind", stopping),
  needed("get", "secrets", "tell whether a pod waits for a Secret that is gone", waiting),
  needed("create", "secrets", "hand an agent its secret environment", starting),
  needed("delete", "secrets", "take back the Secrets of agents that ended", stopping),
  { ...needed("get", "pods", "read what an agent wrote", ["logs", ...starting, "explain"]), subresource: "log" },
  optional("list", "events", "", "say why a pod waits", ["journal", ...waiting]),
  optional("watch", "events", "", "follow the cluster's Events", ["journal"]),
  optional("get", "persistentvolumeclaims", "", "say why a workspace is not there yet", waiting),
  optional("list", "pods", "metrics.k8s.io", "show memory and CPU of all agents", ["status"]),
  optional("get", "pods", "metrics.k8s.io", "show memory and CPU of one agent", ["status", "explain"]),
  optional("get", "networkpolicies", "networking.k8s.io", "look for the policy of `networkPolicy: denyAll`", starting),
  optional("create", "networkpolicies", "networking.k8s.io", "make the policy of `networkPolicy: denyAll`", starting),
  optional("get", "namespaces", "", "check the namespace", ["doctor"]),
  { ...optional("create", "namespaces", "", "make a namespace that is missing", starting), reach: "cluster" },
  { ...optional("get", "nodes", "", "say since when a node is lost", waiting), reach: "cluster" },
];

/** As it is written in a rule and in a refusal: `get pods/log`, `list pods.metrics.k8s.io`. */
export function rightInWords(right: Right): string {
  return `${right.verb} ${resourceInWords(right)}`;
}

/** The resource with its subresource, and its group where that is not the core's. */
export function resourceInWords({ resource, subresource, group }: Right): string {
  return `${resource}${group === "" ? "" : `.${group}`}${subresource === null ? "" : `/${subresource}`}`;
}

function needed(verb: Verb, resource: string, why: string, commands: readonly string[]): Right {
  return { verb, resource, subresource: null, group: "", reach: "namespace", level: "needed", why, commands };
}

function optional(verb: Verb, resource: string, group: string, why: string, commands: readonly string[]): Right {
  return { ...needed(verb, resource, why, commands), group, level: "optional" };
}
