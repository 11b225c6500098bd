/** Most recent reads of all that is there of a fleet: who lives with which formats, and which Secrets of attempts nothing refers to. */
import type {
  Attempt,
  ColdMove,
  FleetLook,
  Identity,
  ObservedInstance,
  ObservedSecret,
  RuntimeTarget,
  Startup,
} from "@moorage/core";
import {
  attemptOfSecret,
  firstDifference,
  markedIdentity,
  moorageProfile,
  planGc,
  readNotes,
  refusalCondition,
  secretName,
  verify,
} from "@moorage/core";
import { CliError } from "../errors/cli-error.ts";
import type { AgentScope } from "../scope/agent-scope.ts";
import type { LaunchRecord } from "./launch-record.ts";

/** An instance of the fleet, whether anybody pinned it or not. */
export interface FleetInstance {
  readonly agent: string;
  readonly identity: Identity;
  readonly observed: ObservedInstance;
  /** Null: nobody recorded them. */
  readonly formats: RuntimeTarget | null;
  readonly graceMs: number | null;
  /** `cannotTell`: nobody can judge whether it lives. `stillborn`: it has never started, and its Secret is gone, so that it never can. */
  readonly life: "lives" | "ended" | "cannotTell" | "stillborn";
}

/** Whether it lives, as far as anyone can tell. */
export function mayLive({ life }: Pick<FleetInstance, "life">): boolean {
  return life === "lives" || life === "cannotTell";
}

/** Throws a `CliError` when the scope does not answer: nothing may be concluded then. */
export async function fleetInstances(
  fleet: string,
  record: Pick<LaunchRecord, "old" | "new"> | null,
  scope: AgentScope,
): Promise<FleetInstance[]> {
  const reading = await scope.inventory.readScope();
  if (reading.kind === "refused") throw new CliError(refusalCondition(reading.refusal, fleet));
  if (reading.kind === "unavailable") throw unavailable(reading.detail);
  const pinned = new Set(record === null ? [] : [...record.old, ...record.new].map(({ identity }) => identity));
  const facts = new Map((await scope.facts()).map((each) => [each.name, each] as const));
  const found: FleetInstance[] = [];
  for (const observed of reading.instances) {
    const identity = markedIdentity(observed, moorageProfile);
    if (identity === undefined) continue;
    const notes = readNotes(observed, moorageProfile);
    const agent = notes.name ?? observed.name;
    // Before there were fleets on record, an agent was one by itself.
    if ((notes.fleet ?? agent) !== fleet && !pinned.has(identity)) continue;
    const known = facts.get(observed.name)?.process ?? null;
    const template = known?.uid === observed.fence.uid ? known.template : null;
    const formats = template?.fingerprint ?? null;
    const life = await lifeOf(observed, identity, scope);
    found.push({ agent, identity, observed, formats, graceMs: template?.graceMs ?? null, life });
  }
  return found;
}

async function lifeOf(
  observed: ObservedInstance,
  identity: Identity,
  { substrate }: AgentScope,
): Promise<FleetInstance["life"]> {
  const verified = verify(observed, moorageProfile, identity);
  if (verified.kind === "foreign") return "cannotTell";
  const { startup, attempt } = verified.instance;
  if (startup.kind !== "recoverable" || attempt === null) return lifeWords[startup.kind];
  // A Secret is written before its instance is: one that is not there after the instance was seen never will be.
  const secret = await substrate.secretExists(secretName(moorageProfile, identity, attempt));
  return secret.kind === "absent" ? "stillborn" : "lives";
}

/** What may still start counts as living. */
const lifeWords: Readonly<Record<Startup["kind"], FleetInstance["life"]>> = {
  started: "lives",
  interrupted: "lives",
  recoverable: "lives",
  pullFailing: "lives",
  terminated: "ended",
  provablyBroken: "ended",
  cannotTell: "cannotTell",
};

/** Who lives, by the side whose formats it has. */
export async function lookAtFleet(move: ColdMove, record: LaunchRecord | null, scope: AgentScope): Promise<FleetLook> {
  // Secrets first: an instance that is created in between still protects its own.
  const secrets = await orphanedSecrets(move.fleet, record, scope);
  const there = await fleetInstances(move.fleet, record, scope);
  const living = there.filter(mayLive);
  const stillborn = there.filter(({ life }) => life === "stillborn");
  const of = (side: ReturnType<typeof sideOf>): string[] =>
    living.filter((one) => sideOf(one, move) === side).map(({ agent }) => agent);
  return { old: of("old"), new: of("new"), unjudged: of("unjudged"), leftovers: secrets.length + stillborn.length };
}

export function sideOf(
  { life, formats }: Pick<FleetInstance, "life" | "formats">,
  { from, to }: Pick<ColdMove, "from" | "to">,
): "old" | "new" | "unjudged" {
  if (life === "cannotTell" || formats === null) return "unjudged";
  if (firstDifference(formats, from) === null) return "old";
  return firstDifference(formats, to) === null ? "new" : "unjudged";
}

/** Secrets of attempts of the fleet's agents that no instance refers to, with the fences under which they were seen. */
export async function orphanedSecrets(
  fleet: string,
  record: LaunchRecord | null,
  scope: AgentScope,
): Promise<Pick<ObservedSecret, "name" | "fence">[]> {
  const there = await fleetInstances(fleet, record, scope);
  const pinned = record === null ? [] : [...record.old, ...record.new];
  const identities = new Set([...there, ...pinned].map(({ identity }) => identity));
  const orphans: Pick<ObservedSecret, "name" | "fence">[] = [];
  for (const identity of identities) orphans.push(...(await orphansOf(identity, scope)));
  return orphans;
}

async function orphansOf(
  identity: Identity,
  { substrate }: AgentScope,
): Promise<readonly Pick<ObservedSecret, "name" | "fence">[]> {
  const listing = await substrate.listSecrets(identity);
  if (listing.kind === "refused") throw new CliError(refusalCondition(listing.refusal, "NAME"));
  if (listing.kind === "unavailable") throw unavailable(listing.detail);
  const reading = await substrate.readInstances(identity);
  if (reading.kind === "refused") throw new CliError(refusalCondition(reading.refusal, "NAME"));
  if (reading.kind === "unavailable") throw unavailable(reading.detail);
  // The fleet is closed: whoever began one of these cannot create its instance any more.
  const gone = new Set<Attempt>();
  for (const { name } of listing.secrets) {
    const attempt = attemptOfSecret(moorageProfile, identity, name);
    if (attempt !== undefined) gone.add(attempt);
  }
  const { secrets, serverTime } = listing;
  const { instances } = reading;
  return planGc({ profile: moorageProfile, identity, secrets, serverTime, instances, current: null, gone }).secrets;
}

function unavailable(detail: string): CliError {
  return new CliError({
    code: "stateUnavailable",
    message: `the state directory does not answer: ${detail}`,
    hint: "run `moorage doctor`",
  });
}
