/** A substrate that checks, request by request, whether what the call knows allows what it asks for. */
import type { Fence, InstanceSpec, ObservedInstance, SecretSpec, Substrate } from "@moorage/core";
import { attemptOfSecret, moorageProfile } from "@moorage/core";
import type { CallView } from "./call-view.ts";
import { noteHint, noteInstance, noteReading } from "./call-view.ts";
import type { Promises } from "./promises.ts";
import { isOurs, mayRemove, mayRun, showsEnded, showsRunning } from "./promises.ts";

const leastAgeMs = 600_000;
/** Milliseconds of its own clock that a call may let pass between two requests, a slow delivery included. */
const longestQuietMs = 34_000;

export interface Watching {
  readonly view: CallView;
  readonly promises: Promises;
  /** When the effect of the request that has just been answered took place. */
  readonly effectAt: () => number;
  /** The caller's own clock. */
  readonly now: () => number;
  /** When this version of an object came to be. */
  readonly madeAt: (instance: ObservedInstance) => number;
}

export function watchedSubstrate(inner: Substrate, watching: Watching): Substrate {
  const { view, promises } = watching;
  const sent = (): number => {
    view.requests += 1;
    view.order += 1;
    checkQuiet(watching);
    return view.order;
  };
  const answered = async <T>(request: Promise<T>): Promise<T> => {
    const answer = await request;
    view.quietSince = watching.now();
    return answer;
  };
  return {
    scope: inner.scope,
    ensureScope() {
      sent();
      return answered(inner.ensureScope());
    },
    async readInstances(identity) {
      const order = sent();
      const answer = await answered(inner.readInstances(identity));
      if (answer.kind === "read") noteReading(view, order, answer.instances, watching.effectAt());
      return answer;
    },
    async readName(name) {
      sent();
      const answer = await answered(inner.readName(name));
      if (answer.kind === "found") {
        if (isOurs(answer.instance, view.identity)) noteInstance(view, answer.instance, watching.effectAt());
        else view.foreignHolder = true;
      }
      return answer;
    },
    async listSecrets(identity) {
      sent();
      const answer = await answered(inner.listSecrets(identity));
      view.order += 1;
      if (answer.kind === "read")
        view.listing = { answered: view.order, secrets: answer.secrets, time: answer.serverTime };
      return answer;
    },
    async secretExists(name) {
      sent();
      const answer = await answered(inner.secretExists(name));
      if (answer.kind === "absent") view.absent.set(name, view.order);
      return answer;
    },
    async createSecret(spec) {
      sent();
      checkCreateSecret(watching, spec);
      const answer = await answered(inner.createSecret(spec));
      if (answer.kind === "created") view.ownSecret = { name: spec.name, fence: answer.fence };
      return answer;
    },
    async createInstance(spec) {
      sent();
      checkCreate(watching, spec);
      view.sentCreate = true;
      const answer = await answered(inner.createInstance(spec));
      if (answer.kind === "created") view.created = true;
      if (answer.kind === "unknownOutcome") view.unknownSent = true;
      if (answer.kind === "unknownOutcome" || answer.kind === "alreadyExists") view.unknownCreate = true;
      return answer;
    },
    async deleteInstance(name, fence) {
      sent();
      checkDelete(watching, name, fence);
      const answer = await answered(inner.deleteInstance(name, fence));
      if (answer.kind === "conflict") view.refusedFences.add(name);
      if (answer.kind === "accepted" && name === view.name) view.removals.add(fence.uid);
      if (view.removals.size > 1) promises.broken("limits", `${view.who} has removed two instances in one call`);
      return answer;
    },
    deleteSecret(name, fence) {
      sent();
      checkDeleteSecret(watching, name, fence);
      return answered(inner.deleteSecret(name, fence));
    },
    async *follow(identity, from, signal) {
      sent();
      for await (const hint of inner.follow(identity, from, signal)) {
        if (hint.kind !== "over")
          noteHint(view, hint, watching.madeAt(hint.kind === "changed" ? hint.instance : hint.last));
        yield hint;
      }
    },
  };
}

/** Watches go silent: whatever they say, a call reads again in good time. */
export function checkQuiet({ view, promises, now }: Pick<Watching, "view" | "promises" | "now">): void {
  const quiet = now() - view.quietSince;
  if (quiet > longestQuietMs) promises.broken("limits", `${view.who} has not asked for ${Math.round(quiet)} ms`);
  view.quietSince = now();
}

/** The instance of ours that the last read shows as started, unless it is on its way out. */
function startedInLastRead(view: CallView): ObservedInstance | undefined {
  const own = view.byName.get(view.name);
  return own !== undefined && isOurs(own, view.identity) && showsRunning(own) && own.deletion === null
    ? own
    : undefined;
}

function checkUntouched({ view, promises }: Watching, request: string): void {
  if (view.kind === "start" && startedInLastRead(view) !== undefined)
    promises.broken("P2", `${view.who}: ${request} although its read shows a started agent`);
}

function checkCreateSecret(watching: Watching, spec: SecretSpec): void {
  const { view, promises } = watching;
  checkUntouched(watching, "createSecret");
  if (view.kind === "stop") promises.broken("limits", `${view.who}: a stop creates a Secret`);
  if (spec.annotations["moorage.dev/attempt-deadline"] !== String(Math.ceil(view.deadlineMs / 1_000)))
    promises.broken("secrets", `${view.who}: its deadline is not recorded on its Secret`);
  const attempt = attemptOfSecret(moorageProfile, view.identity, spec.name) ?? null;
  if (attempt === null) promises.broken("secrets", `${view.who}: ${spec.name} names no attempt`);
  if (view.attempt !== null && view.attempt !== attempt)
    promises.broken("limits", `${view.who}: a second attempt in one call`);
  view.attempt = attempt;
  view.ownSecret ??= { name: spec.name, fence: null };
}

function checkCreate(watching: Watching, spec: InstanceSpec): void {
  const { view, promises } = watching;
  checkUntouched(watching, "createInstance");
  if (view.kind === "stop") promises.broken("limits", `${view.who}: a stop creates an instance`);
  if (view.reading === null) promises.broken("P6", `${view.who}: creates without a look`);
  if (view.unknownCreate)
    promises.broken("limits", `${view.who}: creates again without a look after an unknown outcome`);
  if (view.created || view.lost) promises.broken("limits", `${view.who}: a second create in one call`);
  if (spec.secret !== view.ownSecret?.name)
    promises.broken("secrets", `${view.who}: it references ${spec.secret}, not its own`);
  if (spec.name !== view.name) promises.broken("P1", `${view.who}: creates under another name`);
  const others = view.reading?.instances.filter((other) => isOurs(other, view.identity)) ?? [];
  for (const other of others) {
    if (other.name !== view.name && !showsEnded(other))
      promises.broken("P1", `${view.who}: creates beside ${other.name}`);
    if (other.name === view.name)
      promises.broken("limits", `${view.who}: creates although its read shows the instance`);
  }
  for (const [uid, known] of view.newest) {
    const last = view.removed.get(uid) ?? known;
    if (!view.byName.has(view.name) && mayRun(last))
      promises.broken("P1", `${view.who}: creates after ${uid} vanished while it was last seen running`);
  }
}

function checkDelete(watching: Watching, name: string, fence: Fence): void {
  const { view, promises } = watching;
  const seen = view.byName.get(name);
  if (view.refusedFences.has(name))
    promises.broken("P3", `${view.who}: deletes ${name} again without a look after a refused fence`);
  if (seen === undefined || seen.fence.uid !== fence.uid || seen.fence.resourceVersion !== fence.resourceVersion) {
    promises.broken("P3", `${view.who}: deletes ${name} with a fence that its last read did not show`);
    return;
  }
  if (seen.deletion !== null) promises.broken("limits", `${view.who}: deletes ${name}, which is marked already`);
  if (!isOurs(seen, view.identity)) promises.broken("P4", `${view.who}: deletes ${name}, which is foreign`);
  if (seen.evidence.container.state === "unjudgeable")
    promises.broken("P4", `${view.who}: deletes ${name}, which nobody can judge`);
  if (view.kind === "stop") return;
  checkUntouched(watching, `deletes ${name}`);
  if (view.lost) promises.broken("P6", `${view.who}: a loser deletes ${name}`);
  if (view.created) promises.broken("limits", `${view.who}: deletes ${name} after its create`);
  if (name !== view.name) {
    if (!showsEnded(seen)) promises.broken("P4", `${view.who}: collects ${name}, which has not ended`);
    return;
  }
  const confirmed = [...view.absent].filter(([, order]) => order > (view.reading?.sent ?? 0)).map(([secret]) => secret);
  if (view.desired !== null && !mayRemove(seen, new Set(confirmed), view.desired))
    promises.broken("P4", `${view.who}: deletes ${name} without a ground`);
}

function checkDeleteSecret(watching: Watching, name: string, fence: Fence): void {
  const { view, promises } = watching;
  if (name === view.ownSecret?.name) {
    view.tookBack = true;
    if (view.unknownSent && !view.lost && !view.foreignHolder)
      promises.broken("secrets", `${view.who}: takes back the Secret of a create that may still take effect`);
    const referenced =
      view.reading?.instances.some(({ attempt }) => attempt !== null && attempt === view.attempt) === true;
    if (referenced || (view.created && view.attempt !== null && !view.gone.has(view.attempt)))
      promises.broken("P6", `${view.who}: removes its Secret under an instance`);
    return;
  }
  checkUntouched(watching, `deletes ${name}`);
  if (view.lost) promises.broken("P6", `${view.who}: a loser removes ${name}, which it did not make`);
  const { listing, reading } = view;
  const secret = listing?.secrets.find((listed) => listed.name === name);
  const attempt = attemptOfSecret(moorageProfile, view.identity, name);
  if (secret === undefined || attempt === undefined || !isOurs(secret, view.identity)) {
    promises.broken("secrets", `${view.who}: removes ${name}, which it has not verified`);
    return;
  }
  if (secret.fence.uid !== fence.uid || secret.fence.resourceVersion !== fence.resourceVersion)
    promises.broken("P3", `${view.who}: removes ${name} with another fence than it read`);
  if (reading?.instances.some((instance) => instance.attempt === attempt) === true)
    promises.broken("secrets", `${view.who}: removes ${name} under an instance that its read shows`);
  if (view.gone.has(attempt)) return;
  if (reading === null || listing === null || reading.sent < listing.answered)
    promises.broken("secrets", `${view.who}: removes ${name} with instances listed before Secrets`);
  const recorded = Number(secret.annotations["moorage.dev/attempt-deadline"] ?? "0") * 1_000;
  const age =
    listing === null || listing.time === null || secret.createdAt === null ? null : listing.time - secret.createdAt;
  if (age === null || age <= 2 * Math.max(leastAgeMs, recorded))
    promises.broken("secrets", `${view.who}: removes ${name} at the age of ${age ?? "nobody knows"} ms`);
}
