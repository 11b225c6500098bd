// How many decisions one core makes in a second: `classify` over decoded observations of every kind.
import type { Evidence, IntentDigest, ObservedInstance, VerifiedInstance } from "@moorage/core";
import {
  classify,
  instanceMarks,
  instanceName,
  moorageProfile,
  nameIdentity,
  recordedIntent,
  verify,
} from "@moorage/core";
import { sha256 } from "@moorage/keys";
import { medianMs } from "./in-process.ts";
import type { Reading } from "./measure.ts";
import { rounds, spread } from "./measure.ts";
import type { Place } from "./place.ts";

const identity = nameIdentity("scribe", sha256);
const cause = { code: "pulling", message: "its image is being pulled" };

export async function classifyRate({ signal }: Place): Promise<Reading[]> {
  const [desired, other] = [intent("a"), intent("b")];
  const observations = everyKind([desired, other, "", "z9:of another scheme"]);
  let deletes = 0;
  const decideAll = (): void => {
    for (const observed of observations) if (classify(observed, desired).kind === "delete") deletes += 1;
  };
  const limit = { kind: "atLeast", value: 5 } as const;
  const sample = (): Promise<number> => {
    const [ms = Number.NaN] = medianMs(60, [decideAll]);
    return Promise.resolve(observations.length / ms / 1_000);
  };
  const rates = await rounds({ least: 15, most: 60, limit, signal, sample, compared: (rate) => rate });
  if (deletes === 0) throw new Error("nothing was decided");
  const value = { unit: "million/s", value: spread(rates) } as const;
  return [{ what: "classify on one core", ours: value, against: null, baseline: null, compared: value, limit }];
}

function intent(digit: string): IntentDigest {
  const recorded = recordedIntent(`m1:${digit.repeat(64)}`);
  if (recorded.kind !== "recorded") throw new Error("that is no digest");
  return recorded.digest;
}

/** No instance at all, and every startup with each of the recorded intents, marked for deletion or not. */
function everyKind(intents: readonly string[]): (VerifiedInstance | null)[] {
  const found = intents.flatMap((recorded) =>
    evidences().flatMap((evidence) => [false, true].map((marked) => instance(evidence, recorded, marked))),
  );
  return Array.from({ length: 16 }, () => [null, ...found]).flat();
}

function evidences(): Evidence[] {
  const waiting = { state: "waiting", ranBefore: false, cause } as const;
  const failure = { kind: "unauthorized", image: null, message: "unauthorized" } as const;
  const ending = { reason: "exited", exitCode: 1, signal: null, detail: null, at: null } as const;
  const containers: Evidence["container"][] = [
    { state: "running" },
    { state: "terminated", ending },
    { state: "abandoned" },
    { state: "absent", cause },
    { state: "unjudgeable", cause },
    { ...waiting, suspicion: { kind: "none" } },
    { ...waiting, suspicion: { kind: "none" }, ranBefore: true },
    { ...waiting, suspicion: { kind: "pull", failure } },
    { ...waiting, suspicion: { kind: "invalidImage", image: "UPPER/case", rejected: true } },
  ];
  return containers.map((container) => ({ container, phase: "pending", nodeLost: null }));
}

function instance(evidence: Evidence, recorded: string, marked: boolean): VerifiedInstance {
  const observed: ObservedInstance = {
    ...instanceMarks(moorageProfile, identity, recorded, { name: "scribe" }),
    name: instanceName(moorageProfile, identity),
    fence: { uid: "3f1c", resourceVersion: "7" },
    deletion: marked ? { since: null, finalizers: [] } : null,
    evidence,
    attempt: null,
    startedAt: null,
  };
  const verification = verify(observed, moorageProfile, identity);
  if (verification.kind !== "verified") throw new Error(verification.reason);
  return verification.instance;
}
