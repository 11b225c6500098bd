/** The persisted form of a life: JSON, versioned, read strictly. */

import {
  count,
  fields,
  flag,
  keyOf,
  listOf,
  oneOf,
  orNull,
  type Reader,
  readFormat,
  text,
  variants,
} from "../plain-data.ts";
import type { Channel, Floor } from "./channel.ts";
import { orderTexts } from "./channel.ts";
import { axes } from "./fingerprint.ts";
import type {
  Candidate,
  Confirmed,
  Life,
  LifeBundle,
  Offer,
  Progress,
  Refusal,
  RefusalReason,
  Revert,
  Run,
  Step,
  Use,
} from "./life.ts";
import { lifeFormat } from "./life.ts";
import type { Quarantined } from "./quarantine.ts";
import { runtimeTarget } from "./read-target.ts";

export function writeLife(life: Life): string {
  return JSON.stringify(life);
}

/** Throws a `PlainDataError` that names the place of what is unknown, missing or wrong. */
export function readLife(written: string): Life {
  return readFormat(written, lifeFormat, life);
}

const refusalReason = keyOf<RefusalReason>({
  ...orderTexts,
  incompatible: true,
  signature: true,
  corrupt: true,
  malformed: true,
  notAsOffered: true,
  quarantined: true,
});

const axisValue: Reader<string | number> = (value, place) =>
  typeof value === "number" ? count(value, place) : text(value, place);
const plainRefusal = fields<Pick<Refusal, "reason" | "detail">>({ reason: refusalReason, detail: text });
const axisRefusal = fields<Required<Refusal>>({
  reason: refusalReason,
  detail: text,
  axis: oneOf(...axes),
  expected: axisValue,
  actual: axisValue,
});
const refusal: Reader<Refusal> = (value, place) =>
  (typeof value === "object" && value !== null && "axis" in value ? axisRefusal : plainRefusal)(value, place);
const revert = fields<Revert>({ reason: oneOf("crash", "reload", "health"), detail: text });

const bundle = fields<LifeBundle>({ digest: text, catalogHash: text, sequence: count, target: runtimeTarget });
const offer = fields<Offer>({ digest: text, catalogHash: text, sequence: count, nonce: text });
const confirmed = fields<Confirmed>({ bundle, proof: oneOf("proven", "unproven") });
const takesEffect = oneOf("turn", "start");
const checked = { bundle, nonce: text, takesEffect, tries: count };

const steps = {
  offered: fields({ state: oneOf("offered"), offer, tries: count }),
  fetched: fields({ state: oneOf("fetched"), offer, tries: count }),
  verified: fields({ state: oneOf("verified"), ...checked }),
  staged: fields({ state: oneOf("staged"), ...checked, switching: flag, refusedTurns: count }),
};
const step: Reader<Step> = variants<Step, "state">("state", steps);
const candidate: Reader<Candidate> = variants<Candidate, "state">("state", {
  ...steps,
  deferred: fields({
    state: oneOf("deferred"),
    cause: oneOf("diskFull", "timeout", "unreachable", "notNow"),
    from: step,
  }),
});

const progress = fields<Progress>({ turns: count, baked: flag, checked: flag });
const use: Reader<Use> = variants<Use, "kind">("kind", {
  none: fields({ kind: oneOf("none") }),
  confirmed: fields({ kind: oneOf("confirmed"), bundle, proof: oneOf("proven", "unproven") }),
  trial: fields({ kind: oneOf("trial"), bundle, nonce: orNull(text), lastGood: orNull(confirmed), progress }),
  returning: fields({ kind: oneOf("returning"), lastGood: confirmed, failed: bundle, why: revert }),
  ended: fields({ kind: oneOf("ended"), lastGood: orNull(confirmed), failed: bundle, why: revert }),
});

const entry = { digest: text, buildId: text, until: count };
const quarantined: Reader<Quarantined> = variants<Quarantined, "by">("by", {
  manifest: fields({ ...entry, by: oneOf("manifest"), why: refusal }),
  content: fields({ ...entry, by: oneOf("content"), catalogHash: text, why: revert }),
});

const run = fields<Run>({
  buildId: text,
  target: runtimeTarget,
  takesPart: oneOf("socket", "files", "nothing"),
  turns: count,
  bakeMs: count,
  check: flag,
});

const life = fields<Life>({
  format: oneOf(lifeFormat),
  channel: fields<Channel>({ fleet: text, catalog: text }),
  floor: fields<Floor>({ sequence: count, digest: orNull(text), rootVersion: count }),
  run,
  use,
  next: orNull(candidate),
  quarantine: listOf(quarantined),
});
