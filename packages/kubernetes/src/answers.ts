/** What the API server's answers mean for whoever asked: nothing is concluded from a code alone where the reason says more. */
import type { Refused, Unavailable, UnknownOutcome } from "@moorage/core";
import type { Fields } from "./json-fields.ts";
import { fieldsOf, parseFields, textOf } from "./json-fields.ts";
import type { Refusing } from "./refusal-of.ts";
import { refusalOf } from "./refusal-of.ts";
import type { Answer, Answered, NotSent } from "./transport.ts";

export interface Success {
  readonly kind: "success";
  readonly object: Fields;
  readonly serverTime: number | null;
}

export type Understood =
  | Success
  /** The object itself is not there. */
  | { readonly kind: "notFound" }
  /** What it would be in is not there. */
  | { readonly kind: "scopeMissing" }
  | { readonly kind: "alreadyExists" }
  | { readonly kind: "conflict" }
  | Refused
  | Unavailable;

/** A read: whatever failed on the way, it may simply be asked again. */
export function understandRead(answer: Answer, asked: Refusing): Understood {
  return answer.kind === "lost" ? unavailable(answer.detail) : understand(answer, asked);
}

/** A change: what was sent and not answered, or answered with a fault of the server, may have had its effect. */
export function understandChange(answer: Answer, asked: Refusing): Understood | UnknownOutcome {
  if (answer.kind === "lost") return { kind: "unknownOutcome", detail: answer.detail };
  if (answer.kind === "answered" && answer.status >= 500) {
    return { kind: "unknownOutcome", detail: fault(answer) };
  }
  return understand(answer, asked);
}

function understand(answer: Answered | NotSent, asked: Refusing): Understood {
  if (answer.kind === "notSent") {
    if (!answer.lasting) return unavailable(answer.detail);
    return { kind: "refused", refusal: { kind: "unreachable", target: asked.server, detail: answer.detail } };
  }
  const { status, retryAfterMs } = answer;
  const object = parseFields(answer.body);
  if (status >= 200 && status < 300) {
    // Something in between that answers for the API server, a sign-in page for one.
    if (object === null) return unavailable("what answers is no API server");
    return { kind: "success", object, serverTime: answer.serverTime };
  }
  const reason = textOf(object?.["reason"]);
  if (status === 404 && reason === "NotFound") {
    const kind = textOf(fieldsOf(object?.["details"])["kind"]);
    return { kind: kind === "namespaces" && asked.resource !== "namespaces" ? "scopeMissing" : "notFound" };
  }
  if (reason === "AlreadyExists") return { kind: "alreadyExists" };
  if (status === 409) return { kind: "conflict" };
  if (status === 429) return { kind: "unavailable", detail: fault(answer), retryAfterMs, busy: true };
  if (status >= 500) return { kind: "unavailable", detail: fault(answer), retryAfterMs };
  // Each namespace gets this account a moment after it was made.
  if (/error looking up service account \S+\/default: /.test(textOf(object?.["message"]) ?? "")) {
    return unavailable(`the service account default of the namespace ${asked.namespace} is not there yet`);
  }
  return { kind: "refused", refusal: refusalOf(status, object ?? {}, asked) };
}

function fault({ status, body }: Answered): string {
  const object = parseFields(body);
  const reason = textOf(object?.["reason"]);
  const webhook = /failed calling webhook "([a-z0-9.-]{1,253})"/.exec(textOf(object?.["message"]) ?? "")?.[1];
  const by = webhook === undefined ? "" : `: the webhook ${webhook} fails, and nothing is admitted without it`;
  return `the API server answers ${status}${reason === null ? "" : ` (${reason})`}${by}`;
}

function unavailable(detail: string): Unavailable {
  return { kind: "unavailable", detail, retryAfterMs: null };
}
