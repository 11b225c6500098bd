/** Carries out one pass of garbage collection before a create. What fails is told and never fails the start. */
import type { Call } from "./call.ts";
import type { GcInput, GcPlan } from "./gc.ts";
import { planGc } from "./gc.ts";
import type { Attempt } from "./identity.ts";
import { secretName } from "./identity.ts";
import type { Look } from "./look.ts";
import type { ObservedInstance, ObservedSecret } from "./observation.ts";

/** Collects what nobody needs any more. `gone` are the attempts whose instance this call has seen gone. */
export async function collect(call: Call, seen: Look, gone: ReadonlySet<Attempt>): Promise<void> {
  const listing = await call.substrate.listSecrets(call.subject.identity);
  if (listing.kind !== "read") {
    call.say("collect", "collectSkipped", "leftover Secrets were not looked for: the list did not answer");
    return;
  }
  const known = { secrets: listing.secrets, serverTime: listing.serverTime, gone };
  const first = plan(call, seen.instances, known);
  if (first.secrets.length > 0) {
    // Instances are listed after the Secrets, so that one created in between still protects its own.
    const again = await call.substrate.readInstances(call.subject.identity);
    if (again.kind !== "read") return;
    await removeSecrets(call, plan(call, again.instances, known));
  }
  await removeEnded(call, first, listing.secrets);
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
  }
}

/** Ended instances under other names; the Secret of each follows once a read no longer shows the instance. */
async function removeEnded(call: Call, { instances }: GcPlan, secrets: readonly ObservedSecret[]): Promise<void> {
  for (const ended of instances) {
    const removal = await call.substrate.deleteInstance(ended.name, ended.fence);
    call.say("collect", removal.kind, `ended instance ${ended.name}: ${removal.kind}`, null, ended.name);
    if ((removal.kind !== "accepted" && removal.kind !== "notFound") || ended.attempt === null) continue;
    const reading = await call.substrate.readInstances(call.subject.identity);
    if (reading.kind !== "read" || reading.instances.some(({ attempt }) => attempt === ended.attempt)) continue;
    await removeSecretOf(call, ended.attempt, secrets);
  }
}

/** Removes the Secret of an attempt whose instance is gone for certain, if the list shows it as ours. */
export async function removeSecretOf(call: Call, attempt: Attempt, secrets: readonly ObservedSecret[]): Promise<void> {
  const name = secretName(call.subject.profile, call.subject.identity, attempt);
  const known = {
    secrets: secrets.filter((secret) => secret.name === name),
    serverTime: null,
    gone: new Set([attempt]),
  };
  const { secrets: orphans } = plan(call, [], known);
  for (const { fence } of orphans) {
    const removal = await call.substrate.deleteSecret(name, fence);
    call.say("collect", removal.kind, `Secret ${name} of an instance that is gone: ${removal.kind}`, null, name);
  }
}
