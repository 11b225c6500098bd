/** Which leftovers of one identity a start may collect before it creates: planned here, carried out by the loop. */
import type { Attempt, Identity } from "./identity.ts";
import { attemptOfSecret, instanceName } from "./identity.ts";
import { foreignReason, readAttemptDeadline } from "./marks.ts";
import type { Fence, ObservedInstance, ObservedSecret } from "./observation.ts";
import { verify } from "./observation.ts";
import type { BindingProfile } from "./profile.ts";

/** Milliseconds. An attempt that recorded no deadline, or a shorter one, is given this long. */
const leastDeadlineMs = 600_000;

export interface GcInput {
  readonly profile: BindingProfile;
  readonly identity: Identity;
  /** Listed before the instances, so that an instance created in between still protects its Secret. */
  readonly secrets: readonly ObservedSecret[];
  /** Milliseconds since 1970 by the substrate, from the very response that listed the Secrets; null: no age can be told. */
  readonly serverTime: number | null;
  readonly instances: readonly ObservedInstance[];
  /** The attempt of the call itself, once it has one. */
  readonly current: Attempt | null;
  /** Attempts whose instance this call has seen gone: nobody can want their Secrets any more. */
  readonly gone: ReadonlySet<Attempt>;
}

export interface GcInstance {
  readonly name: string;
  readonly fence: Fence;
  /** The Secret that may follow once the instance is gone. */
  readonly attempt: Attempt | null;
}

export interface GcPlan {
  readonly instances: readonly GcInstance[];
  readonly secrets: readonly { readonly name: string; readonly fence: Fence }[];
}

/** The plan for one pass. Pure: age comes from the server's two clocks readings alone, and nothing foreign is ever in it. */
export function planGc(input: GcInput): GcPlan {
  const { profile, identity } = input;
  const ownName = instanceName(profile, identity);
  const instances: GcInstance[] = [];
  const referenced = new Set<Attempt>();
  for (const observed of input.instances) {
    if (observed.attempt !== null) referenced.add(observed.attempt);
    if (observed.name === ownName || observed.deletion !== null) continue;
    const result = verify(observed, profile, identity);
    if (result.kind === "verified" && result.instance.startup.kind === "terminated") {
      instances.push({ name: observed.name, fence: observed.fence, attempt: observed.attempt });
    }
  }
  const secrets = input.secrets
    .filter((secret) => isOrphan(secret, referenced, input))
    .map(({ name, fence }) => ({ name, fence }));
  return { instances, secrets };
}

function isOrphan(secret: ObservedSecret, referenced: ReadonlySet<Attempt>, input: GcInput): boolean {
  if (foreignReason(secret, input.profile, input.identity) !== null) return false;
  const attempt = attemptOfSecret(input.profile, input.identity, secret.name);
  if (attempt === undefined || attempt === input.current || referenced.has(attempt)) return false;
  if (input.gone.has(attempt)) return true;
  if (input.serverTime === null || secret.createdAt === null) return false;
  const deadlineMs = (readAttemptDeadline(secret, input.profile) ?? 0) * 1000;
  return input.serverTime - secret.createdAt > 2 * Math.max(leastDeadlineMs, deadlineMs);
}
