/** The fields of `provider_config`, as data: the form that a client shows and what is accepted are made from the same table. */
import { pinImage } from "@moorage/kubernetes";
import { buzzDefaults } from "./buzz-profile.ts";
import { shown } from "./fields.ts";

/** Why a text cannot be used, or null. */
type Check = (text: string) => string | null;

interface Described {
  readonly title: string;
  readonly description: string;
}

export type ConfigField = Described &
  (
    | {
        readonly kind: "text";
        readonly check: Check;
        /** For forms: a part of what `check` finds. */
        readonly pattern?: string;
        readonly default?: string;
        readonly example?: string;
      }
    /** A whole number above zero. */
    | { readonly kind: "count"; readonly most: number; readonly default?: number }
    | { readonly kind: "labels" }
    | { readonly kind: "tolerations" }
  );

/** Kubernetes takes no longer one for a pod. */
const mostDeadlineSeconds = 2 ** 31 - 1;

const labelPattern = "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$";
const subdomainPattern = "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?){0,3}$";
const quantityPattern = "^[0-9]+(\\.[0-9]+)?(m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei)?$";
const oneImage = "registry.example/agent@sha256:" + "0".repeat(64);

function matching(pattern: string, otherwise: string): { readonly pattern: string; readonly check: Check } {
  const form = new RegExp(pattern);
  return { pattern, check: (text) => (form.test(text) ? null : `${shown(text)} ${otherwise}`) };
}

function quantity(title: string, description: string, otherwise?: string): ConfigField {
  const form = matching(quantityPattern, 'is no quantity: write it like "500m", "2" or "2Gi"');
  return { kind: "text", title, description, ...form, ...(otherwise === undefined ? {} : { default: otherwise }) };
}

function imageFault(text: string): string | null {
  const pinned = pinImage(text);
  switch (pinned.kind) {
    case "pinned":
      return null;
    case "movable":
      return `${shown(text)} is not pinned: name it by its digest, as name@sha256:…; a tag may lead elsewhere tomorrow, and the pod holds the agent's key`;
    case "invalid":
      return `${shown(text)} is no image: ${pinned.reason}`;
    default:
      return pinned satisfies never;
  }
}

export type ConfigName =
  | "context"
  | "namespace"
  | "image"
  | "cpu_request"
  | "memory_request"
  | "cpu_limit"
  | "memory_limit"
  | "inactivity_seconds"
  | "service_account";

/** In the order in which a form shows them. */
export const configFields: Readonly<Record<ConfigName, ConfigField>> = {
  context: {
    kind: "text",
    title: "Kubeconfig context",
    description: "Which cluster, by a context of your kubeconfig. Empty: the current context.",
    check: () => null,
  },
  namespace: {
    kind: "text",
    title: "Namespace",
    description: "Where the agents live on the cluster. It is created if it does not exist.",
    ...matching(
      labelPattern,
      "is no namespace: use 1 to 63 of a-z, 0-9 and -, beginning and ending with a letter or digit",
    ),
  },
  image: {
    kind: "text",
    title: "Agent image",
    description:
      "The image with the agent's harness as its entrypoint, pinned by digest: name@sha256:… A tag alone is refused, since the pod holds the agent's key.",
    check: imageFault,
    pattern: "@sha(256|384|512):[0-9a-f]+\\s*$",
    example: oneImage,
  },
  cpu_request: quantity("CPU request", "CPU that is set aside for the agent.", buzzDefaults.cpuRequest),
  memory_request: quantity("Memory request", "Memory that is set aside for the agent.", buzzDefaults.memoryRequest),
  cpu_limit: quantity("CPU limit", "CPU that the agent never exceeds.", buzzDefaults.cpuLimit),
  memory_limit: quantity(
    "Memory limit",
    "Memory that the agent never exceeds: with more it is ended.",
    buzzDefaults.memoryLimit,
  ),
  inactivity_seconds: {
    kind: "count",
    title: "Stop after inactivity (seconds)",
    description: "The agent ends itself after so long without work, and can be started again at any time.",
    most: Number.MAX_SAFE_INTEGER,
    default: buzzDefaults.inactivitySeconds,
  },
  service_account: {
    kind: "text",
    title: "Service account",
    description: "Whom the pod counts as on the cluster. Its token is never mounted. Empty: the namespace's default.",
    ...matching(subdomainPattern, "is no name of a service account"),
  },
};

export type PodOptionName =
  | "node_selector"
  | "tolerations"
  | "workspace_size_limit"
  | "ephemeral_storage_request"
  | "ephemeral_storage_limit"
  | "active_deadline_seconds";

/** The fields of `provider_config.pod_options`. */
export const podOptionFields: Readonly<Record<PodOptionName, ConfigField>> = {
  node_selector: { kind: "labels", title: "Node selector", description: "Labels that the pod's node must have." },
  tolerations: { kind: "tolerations", title: "Tolerations", description: "Taints of nodes that the pod tolerates." },
  workspace_size_limit: quantity("Workspace size", "The most that the agent's workspace may hold."),
  ephemeral_storage_request: quantity("Disk request", "Space on the node's disk that is set aside, its log included."),
  ephemeral_storage_limit: quantity("Disk limit", "Space on the node's disk above which the pod is evicted."),
  active_deadline_seconds: {
    kind: "count",
    title: "Longest life (seconds)",
    description: "The pod is ended so long after its start, whatever it does.",
    most: mostDeadlineSeconds,
  },
};

export const requiredFields: readonly ConfigName[] = ["namespace", "image"];

/** The parts of a toleration, as Kubernetes has them. */
export const tolerationOperators: readonly ("Equal" | "Exists")[] = ["Equal", "Exists"];
export const tolerationEffects: readonly ("NoSchedule" | "PreferNoSchedule" | "NoExecute")[] = [
  "NoSchedule",
  "PreferNoSchedule",
  "NoExecute",
];
