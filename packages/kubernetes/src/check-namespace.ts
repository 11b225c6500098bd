/** Checks the namespace: that it is there or may be made, and that it would take a pod of ours, which is tried without making one. */
import type { Json } from "@moorage/core";
import { refusalCondition } from "@moorage/core";
import type { Review } from "./access-review.ts";
import type { Understood } from "./answers.ts";
import { understandRead } from "./answers.ts";
import type { Check } from "./check.ts";
import { note, ok, problem, warning } from "./check.ts";
import { fieldsOf, textOf } from "./json-fields.ts";
import { manager, pathOf, withQuery } from "./paths.ts";
import { podTemplate } from "./pod-defaults.ts";
import type { PodProfile } from "./pod-profile.ts";
import { podOf } from "./pod-template.ts";
import type { ClusterScope, Requests } from "./requests.ts";
import { makeNamespace } from "./substrate.ts";

const enforced = "pod-security.kubernetes.io/enforce";

export async function checkNamespace(
  scope: ClusterScope,
  requests: Requests,
  reviews: Promise<readonly Review[]>,
): Promise<readonly Check[]> {
  const [found, tried] = await Promise.all([readNamespace(scope, requests), tryPod(scope, requests)]);
  const pods = podsCheck(tried);
  return [namespaceCheck(scope, found, tried, await reviews), ...(pods === null ? [] : [pods])];
}

function readNamespace({ namespace }: ClusterScope, requests: Requests): Promise<Understood> {
  return requests.get("get", "namespaces", `/api/v1/namespaces/${encodeURIComponent(namespace)}`);
}

/** A create that goes through all of admission and makes nothing. */
async function tryPod({ namespace, profile }: ClusterScope, requests: Requests): Promise<Understood> {
  const path = withQuery(pathOf(namespace, "pods"), { dryRun: "All", ...manager });
  const answer = await requests.send({ method: "POST", path, body: samplePod(profile, namespace) as Json });
  return understandRead(answer, requests.asked("create", "pods"));
}

/** A pod with every default. Nothing of it is ever made: neither its image nor its Secret is anywhere. */
function samplePod(profile: PodProfile, namespace: string): object {
  const name = `${profile.prefix}-doctor`;
  const image = `registry.invalid/doctor@sha256:${"0".repeat(64)}`;
  const template = podTemplate({ name: "doctor", fleet: "doctor", image, env: {}, secretKeys: [] });
  const spec = { name, secret: `${name}-0`, template, labels: {}, annotations: {} };
  const pod = podOf(spec, template, profile, namespace);
  const { name: _, ...metadata } = fieldsOf(pod["metadata"]);
  return { ...pod, metadata: { ...metadata, generateName: `${name}-` } };
}

function namespaceCheck(scope: ClusterScope, found: Understood, tried: Understood, reviews: readonly Review[]): Check {
  const { namespace } = scope;
  const absent = found.kind === "notFound" || (found.kind !== "success" && tried.kind === "scopeMissing");
  if (absent) {
    const command = makeNamespace(scope);
    return reviews.some((review) => review.kind === "reviewed" && review.allowed && makesNamespaces(review))
      ? note("namespace", `${namespace} is not there yet`, "the first `moorage deploy` makes it")
      : problem("namespace", `${namespace} does not exist, and you may not create it`, `run \`${command}\``);
  }
  const ending = tried.kind === "refused" && tried.refusal.kind === "scopeTerminating";
  if (found.kind === "success" ? fieldsOf(found.object["status"])["phase"] === "Terminating" : ending) {
    return problem("namespace", `${namespace} is being deleted`, "wait until it is gone, or choose another one");
  }
  if (found.kind === "success") {
    const level = textOf(fieldsOf(fieldsOf(found.object["metadata"])["labels"])[enforced]);
    const security = level === null ? "Pod Security is left to the cluster" : `Pod Security enforces "${level}"`;
    return ok("namespace", `${namespace} is there; ${security}`);
  }
  if (tried.kind === "success" || (tried.kind === "refused" && tried.refusal.kind !== "forbidden")) {
    return ok("namespace", `${namespace} is there`);
  }
  return note(
    "namespace",
    `whether ${namespace} is there cannot be told`,
    "that takes the right to get namespaces, or to create pods",
  );
}

function makesNamespaces({ right }: Review): boolean {
  return right.verb === "create" && right.resource === "namespaces";
}

/** Null where something else has told it already: a missing namespace, a missing right. */
function podsCheck(tried: Understood): Check | null {
  if (tried.kind === "success") return ok("pods", "one with every default is admitted");
  if (tried.kind === "unavailable") {
    return warning("pods", `whether one is admitted cannot be told now: ${tried.detail}`, "try again in a moment");
  }
  if (tried.kind !== "refused") return null;
  const { refusal } = tried;
  if (refusal.kind === "forbidden" || refusal.kind === "scopeTerminating") return null;
  if (refusal.kind === "invalid" && refusal.detail.includes("does not support dry run")) {
    return note(
      "pods",
      "whether one is admitted cannot be tried here",
      `a webhook takes no dry run: ${refusal.detail}`,
    );
  }
  const { message } = refusalCondition(refusal, "NAME");
  return warning("pods", `one with every default is not admitted: ${message}`, "change what the message names");
}
