/** What a start would do next and why: one look, no change. For `--dry-run` and for `explain`. */
import type { Digest } from "../ports/digest.ts";
import type { CallPorts, Subject } from "./call.ts";
import { Call } from "./call.ts";
import type { Action } from "./classify.ts";
import { classify, ruleOf } from "./classify.ts";
import type { Condition } from "./conditions.ts";
import * as conditions from "./conditions.ts";
import type { IntentComparison, IntentTemplate } from "./intent.ts";
import { compareIntent, intentDigest } from "./intent.ts";
import type { CallEnd } from "./look.ts";
import { isEnd, look } from "./look.ts";
import type { VerifiedInstance } from "./observation.ts";

export interface Preview {
  readonly kind: "preview";
  readonly agentId: string;
  readonly scope: string;
  readonly action: Action["kind"];
  readonly rule: number | null;
  /** The reason in words. */
  readonly reason: string;
  readonly intent: IntentComparison | null;
  readonly instance: VerifiedInstance | null;
  /** Not null when a start could not go on from here. */
  readonly condition: Condition | null;
  readonly requests: number;
}

export interface PreviewRequest extends Subject {
  readonly template: IntentTemplate;
}

/** One look at most `deadlineMs` long; the substrate is only read. */
export async function previewStart(
  request: PreviewRequest,
  ports: CallPorts & { readonly digest: Digest },
): Promise<Preview | CallEnd> {
  const call = new Call(request, ports, conditions.looking);
  const seen = await look(call);
  if (isEnd(seen)) return seen;
  const desired = intentDigest(request.template, ports.digest);
  const action = classify(seen.own, desired);
  const names = seen.duplicates.map(({ name }) => name);
  return {
    kind: "preview",
    agentId: call.name,
    scope: call.substrate.scope,
    action: action.kind,
    rule: ruleOf(action),
    reason: reasonFor(action, seen.own),
    intent: seen.own === null ? null : compareIntent(seen.own.recorded, desired),
    instance: seen.own,
    condition:
      names.length > 0
        ? conditions.duplicateIdentity(request.agent, names)
        : conditionOf(request.agent, action, seen.own),
    requests: call.requests,
  };
}

function conditionOf(agent: string, action: Action, own: VerifiedInstance | null): Condition | null {
  if (action.kind === "report") return conditions.finding(agent, action.finding);
  if (action.kind === "awaitDisappearance" && own !== null) return conditions.disappearing(agent, own);
  if (action.kind !== "observe") return null;
  return action.intent === "notComparable"
    ? conditions.notComparable(agent, action.cause)
    : conditions.starting(agent, action.cause);
}

function reasonFor(action: Action, own: VerifiedInstance | null): string {
  switch (action.kind) {
    case "create":
      return "no instance has this identity";
    case "noOp":
      return "it is running, and a start never touches what runs";
    case "awaitDisappearance":
      return "an earlier instance is still ending";
    case "observe":
      return "it has been created and has not started yet";
    case "report":
      return "waiting cannot help";
    case "delete":
      if (own?.startup.kind === "terminated")
        return `${conditions.ended("", own.startup.ending).message}; it makes way for a new one`;
      return own?.startup.kind === "provablyBroken"
        ? `${conditions.broken("", own.startup.proof).message}; it makes way for a new one`
        : "it never started and the declaration has changed; it makes way for a new one";
    default:
      return action satisfies never;
  }
}
