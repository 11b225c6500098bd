/** All that can be found out about a cluster without changing anything: the way there, who we are, the namespace, each right. */
import { reviewRights } from "./access-review.ts";
import type { Check } from "./check.ts";
import { note, ok } from "./check.ts";
import { checkNamespace } from "./check-namespace.ts";
import { checkReach, checkUser, clockCheck, kubeconfigCheck } from "./check-reach.ts";
import { rightsChecks } from "./check-rights.ts";
import type { ClusterAccess } from "./cluster-access.ts";
import type { Credentials } from "./credentials.ts";
import type { ClusterScope, Requests } from "./requests.ts";
import { rights } from "./rights.ts";

export interface CheckedCluster {
  readonly access: ClusterAccess;
  readonly credentials: Credentials;
  readonly scope: ClusterScope;
  readonly requests: Requests;
  /** Milliseconds since 1970 by this machine. */
  readonly now: () => number;
}

/** In the order in which a person would look. It never rejects for what the cluster does. */
export async function checkCluster(cluster: CheckedCluster): Promise<readonly Check[]> {
  const { access, credentials, scope, requests, now } = cluster;
  const reach = await checkReach(access, credentials, requests);
  const first = [kubeconfigCheck(access), ...reach.checks];
  if (reach.kind === "unreached") return first;
  const clock = clockCheck(reach.answer.serverTime, now());
  const reviewing = reviewRights(requests, scope.namespace, rights);
  const [user, namespace, reviews, metrics] = await Promise.all([
    checkUser(access, requests),
    checkNamespace(scope, requests, reviewing),
    reviewing,
    metricsCheck(requests),
  ]);
  return [...first, user, clock, ...namespace, ...rightsChecks(reviews, scope.namespace), metrics];
}

async function metricsCheck(requests: Requests): Promise<Check> {
  const answer = await requests.get("get", "metrics.k8s.io", "/apis/metrics.k8s.io/v1beta1");
  return answer.kind === "success"
    ? ok("metrics", "memory and CPU are measured")
    : note("metrics", "nobody measures memory and CPU here", "with metrics-server `moorage status` shows them");
}
