/** The shapes of what updates tell in JSON: plans, what came of them, and agents' lives with bundles. */
import * as z from "zod/mini";
import { moveShape } from "./mailbox-shapes.ts";

const text = z.string();
const maybe = z.nullable(text);
const whole = z.int().check(z.nonnegative());
const value = z.union([text, z.number()]);
const axis = z.enum(["wireVersion", "eventLogSchema", "crdApiVersion"]);
const channel = z.strictObject({ fleet: text, catalog: text });
const bundle = { sequence: whole, catalogHash: text, digest: text };
const condition = z.nullable(z.strictObject({ code: text, message: text }));

const plannedAgent = z.strictObject({
  agent: text,
  running: z.strictObject({
    buildId: text,
    fingerprint: z.strictObject({
      wireVersion: whole,
      eventLogSchema: whole,
      crdApiVersion: text,
      toolCatalogHash: text,
    }),
  }),
  release: z.strictObject({ tier: z.enum(["none", "warm", "cold"]), axes: z.array(axis) }),
  bundle: z.discriminatedUnion("tier", [
    z.strictObject({ tier: z.literal("none") }),
    z.strictObject({ tier: z.literal("hot") }),
    z.strictObject({ tier: z.literal("incompatible"), axis, expected: value, actual: value }),
  ]),
  effect: text,
  when: text,
});

const plan = {
  fleet: text,
  agents: z.array(plannedAgent),
  observed: z.strictObject({
    epoch: whole,
    agents: z.array(z.strictObject({ agent: text, version: text, release: maybe, bundle: maybe })),
  }),
};

/** An agent's life with bundles. */
export const deliveryShape: z.ZodMiniType<object> = z.strictObject({
  channel,
  takesPart: z.enum(["socket", "files", "nothing"]),
  floor: whole,
  state: z.enum(["none", "confirmed", "trial", "returning", "ended"]),
  inUse: z.nullable(z.strictObject(bundle)),
  unproven: z.boolean(),
  trial: z.nullable(z.strictObject({ turns: whole, turnsWanted: whole, baked: z.boolean() })),
  lastGood: z.nullable(z.strictObject(bundle)),
  failed: z.nullable(z.strictObject({ ...bundle, reason: text, detail: text })),
  next: z.nullable(
    z.strictObject({
      ...bundle,
      state: z.enum(["offered", "fetched", "verified", "staged", "deferred"]),
      deferred: z.nullable(z.strictObject({ cause: text, until: text, tries: whole })),
      waitsFor: maybe,
    }),
  ),
  heldBack: z.array(
    z.strictObject({
      digest: text,
      catalogHash: maybe,
      buildId: text,
      reason: text,
      detail: text,
      axis: z.nullable(z.strictObject({ name: text, expected: text, actual: text })),
      until: maybe,
    }),
  ),
});

const delivered = z.strictObject({
  agent: text,
  fleet: text,
  outcome: z.enum(["confirmed", "unproven", "nextStart", "waiting", "refused", "reverted", "superseded", "ended"]),
  bundle: z.strictObject(bundle),
  condition,
  log: z.array(text),
});

const updated = z.strictObject({
  agent: text,
  agentId: text,
  state: text,
  delivery: z.nullable(deliveryShape),
  /** What the channel has: the last that was published, what the fleet is given, what was confirmed. */
  published: z.nullable(whole),
  assigned: z.nullable(whole),
  confirmed: z.nullable(whole),
  /** The build that runs, and what its declaration would start now. */
  buildId: maybe,
  nextBuildId: maybe,
});

export type UpdateResultKind = "UpdatePlan" | "UpdateResult" | "UpdateStatus";

/** `started` and `stopped`: an agent of a `DeployResult` and of a `StopResult`. */
export function updateFields(
  started: z.ZodMiniType<object>,
  stopped: z.ZodMiniType<object>,
): Readonly<Record<UpdateResultKind, z.core.$ZodShape>> {
  return {
    UpdatePlan: plan,
    UpdateResult: {
      published: z.array(z.strictObject({ channel, sequence: whole, digest: text, parent: maybe, catalogHash: text })),
      plans: z.array(z.strictObject(plan)),
      deliveries: z.array(delivered),
      restarts: z.array(
        z.strictObject({
          agent: text,
          outcome: z.enum(["restarted", "busy", "notStopped", "notStarted", "notReached"]),
          stop: z.nullable(stopped),
          start: z.nullable(started),
        }),
      ),
      moves: z.array(moveShape),
    },
    UpdateStatus: {
      agents: z.array(updated),
      waiting: whole,
      moves: z.array(z.strictObject({ fleet: text, sentence: text })),
    },
  };
}
