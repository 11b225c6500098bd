/** What keeps the nodes from taking a pod: the scheduler's words, one reason after the other, in plain ones (kube-scheduler, `FitError` and the plugins' reasons). */
import type { Condition } from "@moorage/core";
import { redactor } from "@moorage/core";
import type { Fields } from "./json-fields.ts";
import { fieldsOf, listOf, textOf } from "./json-fields.ts";
import { kubectl, kubectlCluster } from "./kubectl-command.ts";
import { conditionIn } from "./object-parts.ts";
import type { WaitingPod } from "./waiting-pod.ts";
import { whyClaim } from "./why-claim.ts";

/** Characters of words that nobody has put into plain ones. */
const longestWords = 200;

interface NodeReason {
  /** How many nodes; null: all of them. */
  readonly nodes: number | null;
  /** Continues "the node …". */
  readonly words: string;
  readonly help: Help;
}

type Help = "resources" | "selector" | "taint" | "cordon" | "nodes" | "volume" | "other";

/** Null when no scheduler has said that it cannot be placed. */
export function whyUnschedulable(pod: WaitingPod): Condition | null {
  const scheduled = conditionIn(pod.status, "PodScheduled");
  if (scheduled["status"] !== "False") return null;
  if (scheduled["reason"] === "SchedulingGated") return gated(pod);
  const message = textOf(scheduled["message"]) ?? "";
  if (/unbound immediate PersistentVolumeClaims|persistentvolumeclaim "/.test(message)) {
    const claim = whyClaim(pod, message);
    if (claim !== null) return claim;
  }
  return placement(pod, message);
}

function gated({ spec, name, place }: WaitingPod): Condition {
  const gates = listOf(spec["schedulingGates"]).flatMap((gate) => textOf(fieldsOf(gate)["name"]) ?? []);
  return {
    code: "schedulingGated",
    message: `it is held back by a scheduling gate${gates.length === 0 ? "" : `: ${gates.join(", ")}`}`,
    hint: `whoever put the gate there takes it away; \`${kubectl(place, `describe pod ${name}`)}\` shows it`,
  };
}

function placement(pod: WaitingPod, message: string): Condition {
  const { total, reasons } = schedulerReasons(message);
  const nominated = textOf(pod.status["nominatedNodeName"]);
  if (nominated !== null)
    return {
      code: "preempting",
      message: `it waits until less urgent pods have made room on the node ${nominated}`,
      hint: `\`moorage deploy ${pod.agent}\` waits for it`,
    };
  if (total === 0 || message.startsWith("no nodes available"))
    return {
      code: "unschedulable",
      message: "no node can take it: the cluster has none",
      hint: `add a node; \`${kubectlCluster(pod.place, "get nodes")}\` lists them`,
    };
  const subject = subjectOf(total, reasons);
  const asks = reasons.some(({ help }) => help === "resources") ? asked(pod.container) : "";
  return {
    code: "unschedulable",
    message: `no node can take it${reasons.length === 0 ? "" : `: ${subject}`}${asks}`,
    hint: helpFor(reasons[0]?.help ?? "other", pod),
  };
}

/** The scheduler's words in plain ones, to stand after a colon; null when it gave no reason. */
export function schedulerWords(message: string): string | null {
  const { total, reasons } = schedulerReasons(message);
  if (total === 0) return "the cluster has none";
  return reasons.length === 0 ? null : subjectOf(total, reasons);
}

function subjectOf(total: number | null, reasons: readonly NodeReason[]): string {
  return total === 1 ? `the only one ${oneAfterAnother(reasons)}` : counted(reasons, total);
}

/** "has this and that": the verb once. */
function oneAfterAnother(reasons: readonly NodeReason[]): string {
  const all = reasons.map(({ words }) => words);
  return all
    .map((words, at) => (all[at - 1]?.startsWith("has ") === true ? words.replace(/^has /, "") : words))
    .join(" and ");
}

/** "of 5, 1 does this, 4 do that". */
function counted(reasons: readonly NodeReason[], total: number | null): string {
  const some = reasons.some(({ nodes }) => nodes !== null && nodes !== total);
  const told = reasons.map(({ nodes, words }) => {
    if (nodes === 1) return `1 ${words}`;
    const all = nodes === null || nodes === total;
    const who = !all ? nodes : total === null || some ? "all" : `all ${total}`;
    return `${who} ${words.replace(/^(?:has|is|does|says)\b/, (verb) => plurals[verb] ?? verb)}`;
  });
  return `${some ? `of ${total}, ` : ""}${told.join(", ")}`;
}

const plurals: Readonly<Record<string, string>> = { has: "have", is: "are", does: "do", says: "say" };

function asked(container: Fields): string {
  const requests = fieldsOf(fieldsOf(container["resources"])["requests"]);
  const told = Object.entries(requests).map(([resource, amount]) => `${resource} ${String(amount)}`);
  return told.length === 0 ? "" : `; it asks for ${told.join(", ")}`;
}

function helpFor(help: Help, { place, name, spec, agent }: WaitingPod): string {
  const again = `, then run \`moorage deploy ${agent}\``;
  switch (help) {
    case "resources":
      return `ask for less in \`kubernetes.resources.requests\`${again}, or make room: \`${kubectlCluster(place, "describe nodes")}\` shows who has what`;
    case "selector": {
      const wanted = Object.entries(fieldsOf(spec["nodeSelector"])).map(([key, value]) => `${key}=${String(value)}`);
      const label = wanted.length === 0 ? "" : ` (${wanted.join(", ")})`;
      return `correct \`kubernetes.nodeSelector\`${label}${again}, or label a node: \`${kubectlCluster(place, `label node NODE ${wanted[0] ?? "KEY=VALUE"}`)}\`; \`${kubectlCluster(place, "get nodes --show-labels")}\` shows which there are`;
    }
    case "taint":
      return `tolerate the taint in \`kubernetes.tolerations\`${again}; \`${kubectlCluster(place, "describe nodes")}\` shows the taints`;
    case "cordon":
      return `open a node again with \`${kubectlCluster(place, "uncordon NODE")}\`; \`${kubectlCluster(place, "get nodes")}\` lists them`;
    case "nodes":
      return `look at the nodes: \`${kubectlCluster(place, "get nodes")}\`; a start that waits goes on when one is ready`;
    case "volume":
      return `look at the claim: \`${kubectl(place, "get persistentvolumeclaims")}\`, and at the volumes: \`${kubectlCluster(place, "get persistentvolumes")}\``;
    case "other":
      return `run \`${kubectl(place, `describe pod ${name}`)}\``;
    default:
      return help satisfies never;
  }
}

/** `total` null: the message does not say how many nodes there are. */
function schedulerReasons(message: string): {
  readonly total: number | null;
  readonly reasons: readonly NodeReason[];
} {
  const flat = message.replace(/\s+/g, " ").trim();
  const [, total, list = ""] = /^0\/(\d+) nodes are available: (.*)$/.exec(flat) ?? [];
  if (total === undefined) return { total: null, reasons: flat === "" ? [] : [{ nodes: null, ...plain(flat) }] };
  // What follows says what a preemption would bring, or repeats that nothing was found.
  const [own = ""] = list.split(/\. (?:preemption:|no new claims|still not schedulable|not found|$)|\.$/);
  const reasons = own.split(/, (?=\d+ )/).map((part) => {
    const [, nodes, words = part] = /^(\d+) (.*)$/.exec(part) ?? [];
    return { nodes: nodes === undefined ? null : Number(nodes), ...plain(words) };
  });
  return { total: Number(total), reasons: together(reasons) };
}

/** Two reasons that come to the same words are told once. */
function together(reasons: readonly NodeReason[]): readonly NodeReason[] {
  const told = new Map<string, NodeReason>();
  for (const reason of reasons) {
    const same = told.get(reason.words);
    const nodes = reason.nodes === null ? null : reason.nodes + (same?.nodes ?? 0);
    told.set(reason.words, { ...reason, nodes });
  }
  return [...told.values()];
}

const resources: Readonly<Record<string, string>> = {
  cpu: "CPU",
  memory: "memory",
  "ephemeral-storage": "disk for temporary files",
};

/** Taints that Kubernetes itself gives, and the usual ones of the control plane. */
const knownTaints: Readonly<Record<string, readonly [string, Help]>> = {
  "node.kubernetes.io/not-ready": ["is not ready", "nodes"],
  "node.kubernetes.io/unreachable": ["does not answer", "nodes"],
  "node.kubernetes.io/unschedulable": ["is closed to new pods", "cordon"],
  "node.kubernetes.io/memory-pressure": ["is short of memory", "nodes"],
  "node.kubernetes.io/disk-pressure": ["is short of disk", "nodes"],
  "node.kubernetes.io/pid-pressure": ["has too many processes", "nodes"],
  "node.kubernetes.io/network-unavailable": ["has no network yet", "nodes"],
  "node.kubernetes.io/out-of-service": ["is out of service", "nodes"],
  "node.cloudprovider.kubernetes.io/uninitialized": ["is still being set up", "nodes"],
  "node-role.kubernetes.io/control-plane": ["is kept for the control plane", "taint"],
  "node-role.kubernetes.io/master": ["is kept for the control plane", "taint"],
};

const known: readonly (readonly [RegExp, string, Help])[] = [
  [/^Too many pods/, "has no room for another pod", "resources"],
  [/were unschedulable/, "is closed to new pods", "cordon"],
  [
    /didn't match (?:Pod's )?node (?:affinity\/)?selector|didn't match Pod's node affinity/,
    "does not match the node selector",
    "selector",
  ],
  [/untolerated taint\(s\)|taints? that the pod didn't tolerate/, "has a taint that is not tolerated", "taint"],
  [/didn't have free ports/, "has another pod on that port", "other"],
  [
    /volume node affinity conflict|PersistentVolume's node affinity|no available volume zone/,
    "cannot reach the volume of the claim",
    "volume",
  ],
  [/didn't find available persistent volumes/, "has no volume for the claim", "volume"],
  [/exceed max volume count/, "can attach no further volume", "volume"],
  [/non-existent pv|bound to non-existent persistentvolume/, "cannot find the volume of the claim", "volume"],
  [/enough free storage/, "has too little storage for the claim", "volume"],
  [/topology spread/, "would upset how pods are spread", "other"],
  [/anti-affinity/, "has a pod that it keeps away from", "other"],
  [/pod affinity/, "does not have the pods that it wants beside it", "other"],
];

function plain(text: string): { readonly words: string; readonly help: Help } {
  const resource = /^Insufficient (\S+)$/.exec(text)?.[1];
  if (resource !== undefined)
    return { words: `has too little ${resources[resource] ?? resource} free`, help: "resources" };
  const [, key, value = ""] =
    /untolerated taint \{([^:}]+)(?:: ?([^}]*))?\}/.exec(text) ??
    /had taint \{([^:}]+)(?:: ?([^}]*))?\}/.exec(text) ??
    [];
  if (key !== undefined) {
    const [words, help] = knownTaints[key] ?? [
      `has the taint ${key}${value === "" ? "" : `=${value}`}, which is not tolerated`,
      "taint" as const,
    ];
    return { words, help };
  }
  for (const [pattern, words, help] of known) if (pattern.test(text)) return { words, help };
  return { words: `says: ${redactor([])(text).slice(0, longestWords)}`, help: "other" };
}
