/** Observations for tests: every startup, decoded and verified the way a substrate's would be. */

import type { Digest } from "../ports/digest.ts";
import type { Ending } from "./ending.ts";
import { type Attempt, type Identity, nameIdentity, parseAttempt } from "./identity.ts";
import { type IntentDigest, type ProcessTemplate, recordedIntent } from "./intent.ts";
import { instanceMarks } from "./marks.ts";
import type { ObservedInstance, VerifiedInstance } from "./observation.ts";
import { verify } from "./observation.ts";
import { moorageProfile } from "./profile.ts";
import type { Cause, ContainerEvidence, Evidence } from "./startup.ts";

/** No cryptography: enough for tests that only need different texts to differ. */
export const fakeDigest: Digest = {
  text: (value) => spread(value),
  canonical: (value) => spread(JSON.stringify(value)),
};

function spread(text: string): string {
  let hash = 2166136261;
  let out = "";
  for (let round = 0; out.length < 64; round += 1) {
    for (const char of text) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0) ^ round, 16777619) >>> 0;
    out += hash.toString(16).padStart(8, "0");
  }
  return out.slice(0, 64);
}

/** An intent of a process, of which tests mostly need that there is one. */
export const template: ProcessTemplate = {
  kind: "process",
  command: ["a"],
  directory: "/",
  buildId: "b",
  env: {},
  secretKeys: ["TOKEN"],
  drainMs: 1,
  graceMs: 2,
  idleMs: null,
  health: { kind: "none" },
  catalog: null,
  identityKey: null,
};

export const identity: Identity = nameIdentity("scribe", fakeDigest);
export const otherIdentity: Identity = nameIdentity("other", fakeDigest);
export const attempt: Attempt = parseAttempt("0123456789abcdef") as Attempt;

export function intent(letter: string): IntentDigest {
  const recorded = recordedIntent(`m1:${letter.repeat(64)}`);
  if (recorded.kind !== "recorded") throw new Error("no intent");
  return recorded.digest;
}

export const ending: Ending = { reason: "exited", exitCode: 1, signal: null, detail: null, at: null };
export const cause: Cause = { code: "pulling", message: "its image is being pulled" };

type Waiting = Extract<ContainerEvidence, { state: "waiting" }>;
type WaitingEvidence = Evidence & { readonly container: Waiting };

function waiting(suspicion: Waiting["suspicion"], ranBefore = false): WaitingEvidence {
  return { container: { state: "waiting", ranBefore, cause, suspicion }, phase: "pending", nodeLost: null };
}

type Plain = "started" | "terminated" | "abandoned" | "cannotTell";
type Waits = "recoverable" | "interrupted" | "invalidImage" | "secretMissing" | "pullFailing";

export const evidence: Readonly<Record<Plain, Evidence> & Record<Waits, WaitingEvidence>> = {
  started: { container: { state: "running" }, phase: "running", nodeLost: null },
  terminated: { container: { state: "terminated", ending }, phase: "failed", nodeLost: null },
  recoverable: waiting({ kind: "none" }),
  interrupted: waiting({ kind: "none" }, true),
  invalidImage: waiting({ kind: "invalidImage", image: "UPPER/case", rejected: true }),
  secretMissing: waiting({ kind: "secretMissing", secret: "the-secret" }),
  pullFailing: waiting({ kind: "pull", failure: { kind: "unauthorized", image: null, message: "no" } }),
  abandoned: { container: { state: "abandoned" }, phase: "pending", nodeLost: null },
  cannotTell: { container: { state: "unjudgeable", cause }, phase: "unknown", nodeLost: null },
};

export function observed(
  state: Evidence,
  changes: Partial<ObservedInstance> & { intent?: string } = {},
): ObservedInstance {
  const { intent: recorded = intent("a"), ...rest } = changes;
  return {
    name: `moorage-${identity.slice(0, 12)}`,
    fence: { uid: "uid-1", resourceVersion: "7" },
    deletion: null,
    evidence: state,
    attempt,
    startedAt: null,
    ...instanceMarks(moorageProfile, identity, recorded, { name: "scribe" }),
    ...rest,
  };
}

export function instance(
  state: Evidence,
  changes: Partial<ObservedInstance> & { intent?: string } = {},
  absent: readonly string[] = [],
): VerifiedInstance {
  const result = verify(observed(state, changes), moorageProfile, identity, new Set(absent));
  if (result.kind !== "verified") throw new Error(result.reason);
  return result.instance;
}
