/** Carries out one pass of garbage collection before a create. What fails is told and never fails the start. */
import type { Call } from "./call.ts";
import type { GcInput, GcPlan } from "./gc.ts";
import { planGc } from "./gc.ts";
import type { Attempt } from "./identity.ts";
import type { Look } from "./look.ts";
import type { ObservedInstance } from "./observation.ts";
import { survey } from "./observation.ts";

/**
 * Collects what nobody needs any more. `gone` are the attempts whose instance this call has seen gone. `taken`: an
 * instance of ours has arrived meanwhile, so that there is nothing to create.
 */
export async function collect(call: Call, seen: Look, gone: ReadonlySet<Attempt>): Promise<"free" | "taken"> {
  const listing = await call.substrate.listSecrets(call.subject.identity);
  if (listing.kind !== "read") {
    if (listing.kind === "refused") call.tolerate(listing.refusal);
    call.say("collect", "collectSkipped", "leftover Secrets were not looked for: the list did not answer");
    return "free";
  }
  const known = { secrets: listing.secrets, serverTime: listing.serverTime, gone };
  const first = plan(call, seen.instances, known);
  const ended = await removeEnded(call, first);
  if (first.secrets.length === 0 && ended.length === 0) return "free";
  // Instances are listed after the Secrets, so that one created in between still protects its own.
  const again = await call.substrate.readInstances(call.subject.identity);
  if (again.kind !== "read") return "free";
  const { own, duplicates } = survey(again.instances, call.subject.profile, call.subject.identity);
  if (own !== null) call.lastSeen.note(own, again.version);
  if (own !== null || duplicates.length > 0) return "taken";
  await removeSecrets(call, plan(call, again.instances, { ...known, gone: new Set([...gone, ...ended]) }));
  return "free";
}

type Known = Pick<GcInput, "secrets" | "serverTime" | "gone">;

function plan(call: Call, instances: readonly ObservedInstance[], known: Known): GcPlan {
  const { profile, identity } = call.subject;
  return planGc({ profile, identity, instances, current: null, ...known });
}

async function removeSecrets(call: Call, { secrets }: GcPlan): Promise<void> {
  for (const { name, fence } of secrets) {
    const removal = await call.substrate.deleteSecret(name, fence);
    call.say("collect", removal.kind, `Secret ${name}, which nothing references: ${removal.kind}`, null, name);
    if (removal.kind === "refused") call.tolerate(removal.refusal);
  }
}

/** Removes ended instances under other names; returns the attempts whose Secrets may follow once a read shows them gone. */
async function removeEnded(call: Call, { instances }: GcPlan): Promise<Attempt[]> {
  const removed: Attempt[] = [];
  for (const { name, fence, attempt } of instances) {
    const removal = await call.substrate.deleteInstance(name, fence);
    call.say("collect", removal.kind, `ended instance ${name}: ${removal.kind}`, null, name);
    if (removal.kind === "refused") call.tolerate(removal.refusal);
    if (attempt !== null && (removal.kind === "accepted" || removal.kind === "notFound")) removed.push(attempt);
  }
  return removed;
}

/** Removes the Secrets of attempts whose instance this call has seen gone, unless an instance references them by now. */
export async function collectGone(call: Call, gone: ReadonlySet<Attempt>): Promise<void> {
  if (gone.size === 0) return;
  const listing = await call.substrate.listSecrets(call.subject.identity);
  if (listing.kind === "refused") call.tolerate(listing.refusal);
  if (listing.kind !== "read") return;
  const reading = await call.substrate.readInstances(call.subject.identity);
  if (reading.kind !== "read") return;
  await removeSecrets(call, plan(call, reading.instances, { secrets: listing.secrets, serverTime: null, gone }));
}
