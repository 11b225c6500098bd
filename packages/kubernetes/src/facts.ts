/** What people want to know of a pod beside whether it runs: where, since when, from which image, with how much. */
import type { BindingProfile } from "@moorage/core";
import { markedIdentity } from "@moorage/core";
import { answerFault } from "./cluster-error.ts";
import { decodeMetadata } from "./decode-metadata.ts";
import type { Fields } from "./json-fields.ts";
import { fieldsOf, listOf, textOf } from "./json-fields.ts";
import type { Metrics, PodUsage } from "./metrics.ts";
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

/**
 * Of all pods of ours, or of those with these names, in the order of their names; what is not there, or somebody else's,
 * is missing. Throws a `ClusterError`.
 */
export async function readFacts(
  { namespace, profile }: ClusterScope,
  requests: Requests,
  metrics: Metrics,
  names: readonly string[] | null,
): Promise<readonly PodFacts[]> {
  if (names?.length === 0) return [];
  const wanted = names === null ? null : new Set(names);
  const [only] = wanted?.size === 1 ? wanted : [];
  const [answer, usages] = await Promise.all([
    only === undefined
      ? requests.get("list", "pods", withQuery(pathOf(namespace, "pods"), { labelSelector: ourSelector(profile) }))
      : requests.get("get", "pods", pathOf(namespace, "pods", only)),
    metrics.read(only ?? null),
  ]);
  if (answer.kind === "notFound" || answer.kind === "scopeMissing") return [];
  if (answer.kind !== "success") throw answerFault(onlyTrouble(answer), only ?? "NAME");
  const pods = only === undefined ? listOf(answer.object["items"]).map(fieldsOf) : [answer.object];
  return pods
    .map((pod) => factsOf(pod, profile, usages))
    .filter((one) => one !== null)
    .filter(({ name }) => wanted === null || wanted.has(name))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Null for what is not ours, or no object of an API server. */
function factsOf(pod: Fields, profile: BindingProfile, usages: ReadonlyMap<string, PodUsage>): PodFacts | null {
  const metadata = decodeMetadata(pod);
  if (metadata === null || metadata.createdAt === null || markedIdentity(metadata, profile) === undefined) return null;
  const spec = fieldsOf(pod["spec"]);
  const status = fieldsOf(pod["status"]);
  const container = named(spec["containers"], profile.container);
  const told = named(status["containerStatuses"], profile.container);
  const grace = spec["terminationGracePeriodSeconds"];
  const restarts = told["restartCount"];
  const usage = usages.get(metadata.name);
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
    memoryBytes: usage?.memoryBytes ?? null,
    cpuMs: null,
    cpuCores: usage?.cpuCores ?? null,
  };
}

function named(list: unknown, name: string): Fields {
  return (
    listOf(list)
      .map(fieldsOf)
      .find((one) => one["name"] === name) ?? {}
  );
}

/** The workspace is the volume of that name: see the pod's template. */
export function claimOf(spec: Fields): string | null {
  return textOf(fieldsOf(named(spec["volumes"], workspaceVolume)["persistentVolumeClaim"])["claimName"]);
}
