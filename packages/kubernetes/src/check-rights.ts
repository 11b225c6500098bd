/** Checks each right that is ever asked for: what is missing is told with what it is for. */
import type { Review } from "./access-review.ts";
import type { Check } from "./check.ts";
import { note, ok, problem, warning } from "./check.ts";
import type { Right } from "./rights.ts";
import { resourceInWords, rightInWords } from "./rights.ts";

export function rightsChecks(reviews: readonly Review[], namespace: string): readonly Check[] {
  const missing = reviews.flatMap((review) => (review.kind === "reviewed" && !review.allowed ? [review.right] : []));
  const unknown = reviews.filter((review) => review.kind === "unavailable");
  const given = reviews.flatMap((review) => (review.kind === "reviewed" && review.allowed ? [review.right] : []));
  const needed = missing.filter(({ level }) => level === "needed");
  if (needed.length > 1 && !given.some(({ level }) => level === "needed")) return [allMissing(needed, namespace)];
  return [
    ...(given.length === 0 ? [] : [ok("rights", rightsInWords(given))]),
    ...missing.map((right) => missingRight(right, namespace)),
    ...(unknown[0] === undefined ? [] : [untold(unknown[0], unknown.length)]),
  ];
}

function missingRight(right: Right, namespace: string): Check {
  const where = right.reach === "cluster" ? "in the cluster" : `in the namespace ${namespace}`;
  const message = `not allowed to ${rightInWords(right)} ${where}, which is ${right.level} to ${right.why}`;
  const commands = right.commands.map((command) => `\`${command}\``).join(", ");
  const hint = `for ${commands}; manifests/rbac.yaml, which comes with moorage, has the rule`;
  return right.level === "needed" ? problem("rights", message, hint) : note("rights", message, hint);
}

/** A list of twenty would not tell more. */
function allMissing(needed: readonly Right[], namespace: string): Check {
  return problem(
    "rights",
    `you have none of the rights that are needed in the namespace ${namespace}: ${rightsInWords(needed)}`,
    "choose another namespace with `--namespace`, or let whoever runs the cluster give them: manifests/rbac.yaml, which comes with moorage, has every rule",
  );
}

function untold({ detail }: Extract<Review, { kind: "unavailable" }>, count: number): Check {
  return warning("rights", `${count} cannot be told: ${detail}`, "look with `kubectl auth can-i --list`");
}

/** Resource by resource: `list, watch, get pods; get pods/log`. */
function rightsInWords(rights: readonly Right[]): string {
  const verbs = new Map<string, string[]>();
  for (const right of rights) {
    const resource = resourceInWords(right);
    verbs.set(resource, [...(verbs.get(resource) ?? []), right.verb]);
  }
  return [...verbs].map(([resource, list]) => `${list.join(", ")} ${resource}`).join("; ");
}
