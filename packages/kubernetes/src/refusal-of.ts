/** From the API server's `Status` to core's refusals: a code alone says nothing, since quota, Pod Security, limit ranges, rights and missing names are all a bare 403. */
import type { Refusal } from "@moorage/core";
import type { Fields } from "./json-fields.ts";
import { fieldsOf, listOf, textOf } from "./json-fields.ts";

/** What was asked for, where the answer does not say it. */
export interface Refusing {
  readonly verb: string;
  readonly resource: string;
  readonly namespace: string;
  /** The API server in words, for people. */
  readonly server: string;
}

/** Characters of a detail: a policy may answer with pages. */
const longest = 800;

/**
 * The refusal that a `Status` tells: its reason, then its causes, then the anchored template that the message follows.
 * Who speaks is looked for first: a webhook may say anything, the words of a quota among them.
 */
export function refusalOf(status: number, object: Fields, asked: Refusing): Refusal {
  const message = (textOf(object["message"]) ?? `HTTP ${status}`).replace(/\s+/g, " ").trim();
  const reason = textOf(object["reason"]);
  const details = fieldsOf(object["details"]);
  const causes = listOf(details["causes"]).map(fieldsOf);
  return (
    denial(message) ??
    ofReason(status, reason, causes, message, asked) ??
    (status === 403 || reason === "Forbidden" ? forbidden(message, asked) : { kind: "unknown", detail: short(message) })
  );
}

function denial(message: string): Refusal | null {
  const webhook = /^admission webhook "([^"]*)" denied the request(?:: (.*)| without explanation)/.exec(message);
  if (webhook !== null) {
    return {
      kind: "admissionDenied",
      by: `the webhook ${webhook[1]}`,
      detail: short(webhook[2] ?? "it gives no reason"),
    };
  }
  const policy = /(?:^|forbidden: )\w+AdmissionPolicy '([^']*)' with binding '[^']*' denied request: (.*)$/.exec(
    message,
  );
  return policy === null
    ? null
    : { kind: "admissionDenied", by: `the admission policy ${policy[1]}`, detail: short(policy[2] ?? "") };
}

function ofReason(
  status: number,
  reason: string | null,
  causes: readonly Fields[],
  message: string,
  asked: Refusing,
): Refusal | null {
  if (causes.some((cause) => cause["reason"] === "NamespaceTerminating")) return terminating(asked.namespace);
  if (status === 401 || reason === "Unauthorized") return { kind: "unauthenticated", target: asked.server };
  if (reason === "Invalid") return { kind: "invalid", detail: short(fieldsInWords(causes) ?? message) };
  if (reason === "BadRequest" || reason === "RequestEntityTooLarge" || status === 413)
    return { kind: "invalid", detail: short(message) };
  return null;
}

/** A 403. What follows `… is forbidden: ` was written by the admission plugin, or the authorizer, that said no. */
function forbidden(message: string, asked: Refusing): Refusal {
  const said = /^\S+(?: "[^"]*")? is forbidden: (.*)$/.exec(message)?.[1] ?? message;
  return right(said, asked) ?? admission(said) ?? missing(said) ?? { kind: "unknown", detail: short(message) };
}

function right(said: string, asked: Refusing): Refusal | null {
  const found =
    /^User "([^"]*)" cannot (\S+) resource "([^"]*)" in API group "[^"]*"(?: in the namespace "([^"]*)"| at the cluster scope)/.exec(
      said,
    );
  if (found === null) return null;
  const [, user = "", verb = asked.verb, resource = asked.resource, namespace] = found;
  if (verb === "create" && resource === "namespaces") {
    return {
      kind: "scopeAbsent",
      scope: inWords(asked.namespace),
      command: `kubectl create namespace ${asked.namespace}`,
    };
  }
  const where = namespace === undefined ? "in the cluster" : `in ${inWords(namespace)}`;
  return { kind: "forbidden", verb, resource, detail: `the user ${user} has no such right ${where}` };
}

function admission(said: string): Refusal | null {
  const gone = /^unable to create new content in namespace (\S+) because it is being terminated/.exec(said);
  if (gone !== null) return terminating(gone[1] ?? "");
  const used = /^exceeded quota: ([^,]+), (requested: .*)$/.exec(said);
  if (used !== null) return { kind: "quotaExceeded", quota: used[1] ?? "", detail: short(used[2] ?? "") };
  const unspecified = /^failed quota: ([^:]+): (must specify .*)$/.exec(said);
  if (unspecified !== null)
    return { kind: "admissionDenied", by: `the quota ${unspecified[1]}`, detail: short(unspecified[2] ?? "") };
  const security = /^violates PodSecurity "([^"]*)": (.*)$/.exec(said);
  if (security !== null)
    return { kind: "admissionDenied", by: `Pod Security "${security[1]}"`, detail: short(security[2] ?? "") };
  return /^\[?(?:(?:minimum|maximum) \S+ usage per \w+ is |\S+ max limit to request ratio per \w+ is )/.test(said)
    ? { kind: "admissionDenied", by: "the limit range of the namespace", detail: short(said) }
    : null;
}

/** Something that the declaration names is not there. */
function missing(said: string): Refusal | null {
  const account = /^error looking up service account ([^/\s]+)\/([^:\s]+): /.exec(said);
  if (account !== null)
    return {
      kind: "invalid",
      detail: `the service account ${account[2]} does not exist in ${inWords(account[1] ?? "")}`,
    };
  const runtime = /^pod rejected: RuntimeClass "([^"]*)" not found/.exec(said);
  if (runtime !== null) return { kind: "invalid", detail: `the runtime class ${runtime[1]} does not exist` };
  const priority = /^no PriorityClass with name (\S+) was found/.exec(said);
  return priority === null ? null : { kind: "invalid", detail: `the priority class ${priority[1]} does not exist` };
}

function terminating(namespace: string): Refusal {
  return { kind: "scopeTerminating", scope: inWords(namespace) };
}

function inWords(namespace: string): string {
  return `the namespace ${namespace}`;
}

function fieldsInWords(causes: readonly Fields[]): string | null {
  const told = causes.flatMap((cause) => {
    const field = textOf(cause["field"]);
    const message = textOf(cause["message"]);
    return message === null ? [] : [field === null ? message : `${field}: ${message}`];
  });
  return told.length === 0 ? null : told.join("; ");
}

function short(text: string): string {
  return text.length <= longest ? text : `${text.slice(0, longest)}…`;
}
