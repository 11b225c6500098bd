/** Asks the API server itself whether we have a right, which says more than any list of roles. */
import type { Json } from "@moorage/core";
import { understandRead } from "./answers.ts";
import { fieldsOf, textOf } from "./json-fields.ts";
import type { Requests } from "./requests.ts";
import type { Right } from "./rights.ts";

export type Review =
  | { readonly kind: "reviewed"; readonly right: Right; readonly allowed: boolean; readonly reason: string | null }
  /** It did not answer, or does not let us ask. */
  | { readonly kind: "unavailable"; readonly right: Right; readonly detail: string };

const path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";

/** One request for each right, all at once; in the order of the rights. */
export function reviewRights(requests: Requests, namespace: string, rights: readonly Right[]): Promise<Review[]> {
  return Promise.all(rights.map((right) => reviewRight(requests, namespace, right)));
}

async function reviewRight(requests: Requests, namespace: string, right: Right): Promise<Review> {
  const { verb, resource, subresource, group, reach } = right;
  const attributes: Record<string, Json> = { verb, resource, group };
  if (subresource !== null) attributes["subresource"] = subresource;
  if (reach === "namespace") attributes["namespace"] = namespace;
  const body: Json = {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SelfSubjectAccessReview",
    spec: { resourceAttributes: attributes },
  };
  const answer = understandRead(
    await requests.send({ method: "POST", path, body }),
    requests.asked("create", "selfsubjectaccessreviews"),
  );
  if (answer.kind === "unavailable") return { kind: "unavailable", right, detail: answer.detail };
  if (answer.kind !== "success") return { kind: "unavailable", right, detail: "we may not ask for our own rights" };
  const { allowed, reason } = fieldsOf(answer.object["status"]);
  return { kind: "reviewed", right, allowed: allowed === true, reason: textOf(reason) };
}
