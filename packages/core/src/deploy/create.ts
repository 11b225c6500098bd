/** The create: the attempt's Secret, then the instance that references exactly that Secret. Its name is the election. */
import type { InstanceSpec, Refused, SecretSpec } from "../ports/substrate.ts";
import type { Admission } from "./admission.ts";
import type { Call } from "./call.ts";
import { unavailableCondition } from "./call.ts";
import { collectGone } from "./collect.ts";
import * as conditions from "./conditions.ts";
import type { Attempt } from "./identity.ts";
import { parseAttempt, secretName } from "./identity.ts";
import type { IntentDigest, IntentTemplate } from "./intent.ts";
import type { CallEnd } from "./look.ts";
import { look, timeIsOver } from "./look.ts";
import type { Notes } from "./marks.ts";
import { instanceMarks, secretMarks } from "./marks.ts";
import type { Fence } from "./observation.ts";
import { verify } from "./observation.ts";
import type { BindingProfile } from "./profile.ts";
import { mayHeal, refusalCondition } from "./refusal.ts";

const takeBackTries = 3;

export interface Blueprint {
  readonly template: IntentTemplate;
  readonly intent: IntentDigest;
  readonly notes: Notes;
  /** Values; they go into the Secret and nowhere else. */
  readonly secrets: ReadonlyMap<string, string>;
  readonly admission?: Admission;
}

export type Creation =
  /** It exists; whether it starts, the next look tells. */
  | { readonly kind: "created" }
  /** Another caller's instance holds the name. */
  | { readonly kind: "lost" }
  | CallEnd;

interface Written {
  readonly kind: "written";
  /** null: the answer was lost, so the fence is not known. */
  readonly fence: Fence | null;
}

/** One attempt. On every way out that is certain to leave no instance of this attempt, its Secret is taken back. */
export async function create(call: Call, blueprint: Blueprint): Promise<Creation> {
  const { profile, identity } = call.subject;
  const attempt = parseAttempt(call.random.token(profile.attemptDigits));
  if (attempt === undefined) throw new Error("the random source gave no hex token");
  call.attempt = attempt;
  const secret: SecretSpec = {
    name: secretName(profile, identity, attempt),
    data: withAttempt(blueprint.secrets, profile, attempt),
    ...secretMarks(profile, identity, Math.ceil(call.subject.deadlineMs / 1000)),
  };
  const instance: InstanceSpec = {
    name: call.name,
    secret: secret.name,
    template: blueprint.template,
    ...instanceMarks(profile, identity, blueprint.intent, blueprint.notes),
  };
  const written = await writeSecret(call, secret);
  if (written.kind !== "written") return written;
  call.did("create", "no instance has this identity");
  call.say("create", "create", `creating ${call.name}`, 1);
  const sent = await sendInstance(call, secret, instance, { ...blueprint, fence: written.fence });
  if (sent.kind === "created") return sent;
  if (sent.certain) await takeBack(call, attempt, secret.name, sent.fence);
  return sent.end;
}

function withAttempt(
  secrets: ReadonlyMap<string, string>,
  { attemptVariable }: BindingProfile,
  attempt: Attempt,
): ReadonlyMap<string, string> {
  return attemptVariable === null ? secrets : new Map([...secrets, [attemptVariable, attempt]]);
}

/** `lost`: while it was refused, another caller's instance came. */
async function writeSecret(call: Call, spec: SecretSpec): Promise<Written | { readonly kind: "lost" } | CallEnd> {
  for (let sent = false; ; ) {
    const answer = await call.substrate.createSecret(spec);
    switch (answer.kind) {
      case "created":
        call.progressed();
        return { kind: "written", fence: answer.fence };
      case "alreadyExists":
        // Nobody else draws this token: it is our own write whose answer was lost.
        if (sent) return { kind: "written", fence: null };
        return {
          kind: "worldMoved",
          condition: conditions.worldMoved(call.subject.agent, `${spec.name} exists already`),
        };
      case "scopeMissing": {
        const end = await ensureScope(call);
        if (end !== null) return end;
        continue;
      }
      case "refused": {
        const found = await lookForOwn(call);
        if (found === "ours" || found === "other") return { kind: "lost" };
        const end = found === "absent" ? await healOrEnd(call, answer) : found;
        if (end !== null) return end;
        continue;
      }
      case "unknownOutcome":
        sent = true;
        break;
      case "unavailable":
        break;
      default:
        return answer satisfies never;
    }
    call.waitFor(unavailableCondition(answer, call.substrate.scope));
    if (!(await call.pause(answer.kind === "unavailable" ? answer.retryAfterMs : null))) return timeIsOver(call);
  }
}

type Sent =
  | { readonly kind: "created" }
  /** `certain`: no instance of this attempt exists or can still come. */
  | {
      readonly kind: "ended";
      readonly end: { readonly kind: "lost" } | CallEnd;
      readonly certain: boolean;
      readonly fence: Fence | null;
    };

async function sendInstance(
  call: Call,
  secret: SecretSpec,
  instance: InstanceSpec,
  { admission, fence: written }: Pick<Blueprint, "admission"> & Pick<Written, "fence">,
): Promise<Sent> {
  let fence = written;
  let unknown = 0;
  const ended = (end: { readonly kind: "lost" } | CallEnd): Sent => ({
    kind: "ended",
    end,
    certain: unknown === 0,
    fence,
  });
  for (;;) {
    // Only what was asked after the Secret was written counts: a cold move deletes those that it finds, and then looks.
    const closed = (await admission?.stillHolds()) ?? null;
    if (closed !== null && "kind" in closed) {
      call.waitFor(unavailableCondition(closed, call.substrate.scope));
      if (!(await call.pause(closed.retryAfterMs))) return ended(timeIsOver(call));
      continue;
    }
    if (closed !== null) return ended({ kind: "refused", condition: closed });
    const answer = await call.substrate.createInstance(instance);
    switch (answer.kind) {
      case "created":
        call.progressed();
        return { kind: "created" };
      case "alreadyExists": {
        const holder = await whoHolds(call);
        if (holder.kind === "ours") return { kind: "created" };
        // Whoever holds the name keeps an earlier send of ours, if one is still under way, from ever taking effect.
        if (holder.kind === "lost") unknown = 0;
        // Nobody told who it is: it may be our own create, sent twice on the way.
        if (holder.kind === "untold") unknown += 1;
        return ended(holder.kind === "lost" ? { kind: "lost" } : holder.end);
      }
      case "scopeMissing": {
        const end = await ensureScope(call);
        if (end !== null) return ended(end);
        // The scope took the Secret with it.
        const again = await writeSecret(call, secret);
        if (again.kind !== "written") return ended(again);
        fence = again.fence;
        continue;
      }
      case "refused": {
        // A quota is asked before the name: what it refuses may be there already, a winner's or our own.
        const found = await lookForOwn(call);
        if (found === "ours") return { kind: "created" };
        if (found === "other") return ended({ kind: "lost" });
        const end = found === "absent" ? await healOrEnd(call, answer) : found;
        if (end !== null) return ended(end);
        continue;
      }
      case "unknownOutcome": {
        unknown += 1;
        call.waitFor(unavailableCondition(answer, call.substrate.scope));
        if (!(await call.pause())) return ended(timeIsOver(call));
        const found = await lookForOwn(call);
        if (found === "ours") return { kind: "created" };
        if (found !== "absent") return ended(found === "other" ? { kind: "lost" } : found);
        continue;
      }
      case "unavailable":
        call.waitFor(unavailableCondition(answer, call.substrate.scope));
        if (!(await call.pause(answer.retryAfterMs))) return ended(timeIsOver(call));
        continue;
      default:
        return answer satisfies never;
    }
  }
}

/** After an unknown outcome or a refusal: does our create stand, or another's? If neither, the same attempt may be sent again, under the same name. */
async function lookForOwn(call: Call): Promise<"ours" | "other" | "absent" | CallEnd> {
  const seen = await look(call, "asRead");
  if (seen.kind !== "seen") return seen;
  if (seen.own === null) {
    const names = seen.duplicates.map(({ name }) => name);
    if (names.length === 0) return "absent";
    return { kind: "refused", condition: conditions.duplicateIdentity(call.subject.agent, names) };
  }
  return seen.own.attempt === call.attempt ? "ours" : "other";
}

type Holder =
  | { readonly kind: "ours" }
  | { readonly kind: "lost" }
  /** Something foreign, or by now nothing any more. */
  | { readonly kind: "notOurs"; readonly end: CallEnd }
  | { readonly kind: "untold"; readonly end: CallEnd };

/** The name is taken: by our own create whose answer was lost, by the winner, or by something foreign. */
async function whoHolds(call: Call): Promise<Holder> {
  const { agent, profile, identity } = call.subject;
  const found = await lookForOwn(call);
  if (found === "ours") return { kind: "ours" };
  if (found === "other") return { kind: "lost" };
  if (found !== "absent") return { kind: "untold", end: found };
  for (;;) {
    const held = await call.substrate.readName(call.name);
    if (held.kind === "absent") {
      const condition = conditions.worldMoved(agent, "the instance of the caller that won is gone again");
      return { kind: "notOurs", end: { kind: "worldMoved", condition } };
    }
    if (held.kind === "refused")
      return { kind: "untold", end: { kind: "refused", condition: refusalCondition(held.refusal, agent) } };
    if (held.kind === "found") {
      const whose = verify(held.instance, profile, identity);
      if (whose.kind === "verified")
        return whose.instance.attempt === call.attempt ? { kind: "ours" } : { kind: "lost" };
      const condition = conditions.foreignObject(agent, call.name, whose.reason);
      return { kind: "notOurs", end: { kind: "refused", condition } };
    }
    call.waitFor(unavailableCondition(held, call.substrate.scope));
    if (!(await call.pause(held.retryAfterMs))) return { kind: "untold", end: timeIsOver(call) };
  }
}

async function ensureScope(call: Call): Promise<CallEnd | null> {
  call.say("create", "scopeMissing", `${call.substrate.scope} does not exist: creating it`, null, null);
  for (;;) {
    const answer = await call.substrate.ensureScope();
    if (answer.kind === "ready") return (await call.scopeMade()) ? null : timeIsOver(call);
    if (answer.kind === "refused") return healOrEnd(call, answer);
    call.waitFor(unavailableCondition(answer, call.substrate.scope));
    if (!(await call.pause(answer.retryAfterMs))) return timeIsOver(call);
  }
}

/** Null after a pause when the refusal may heal while time is left; otherwise the end of the call. */
async function healOrEnd(call: Call, { refusal }: Refused): Promise<CallEnd | null> {
  const condition = refusalCondition(refusal, call.subject.agent);
  if (!mayHeal(refusal)) return { kind: "refused", condition };
  call.waitFor(condition);
  return (await call.pause()) ? null : timeIsOver(call);
}

/** Takes back the Secret of an attempt that no instance references. */
async function takeBack(call: Call, attempt: Attempt, name: string, fence: Fence | null): Promise<void> {
  if (fence === null) return collectGone(call, new Set([attempt]));
  // In a crowd the substrate may be busy just now; what still remains is left to the collection by age.
  for (let left = takeBackTries; left > 0; left -= 1) {
    const removal = await call.substrate.deleteSecret(name, fence);
    call.say("collect", removal.kind, `took back the Secret of this attempt: ${removal.kind}`, null, name);
    if (removal.kind === "refused") call.tolerate(removal.refusal);
    if (removal.kind !== "unavailable" || !(await call.pause(removal.retryAfterMs))) return;
  }
}
