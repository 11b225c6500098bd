import { expect, it } from "vitest";
import { createAbort } from "../ports/abort.ts";
import type { InstanceCreation, Refused, SecretCreation, SecretSpec, Substrate } from "../ports/substrate.ts";
import { Call } from "./call.ts";
import * as conditions from "./conditions.ts";
import { create } from "./create.ts";
import { parseAttempt } from "./identity.ts";
import type { ObservedInstance } from "./observation.ts";
import { evidence, identity, intent, observed, template } from "./observed.fixture.ts";
import { type BindingProfile, moorageProfile } from "./profile.ts";

const quota: Refused = {
  kind: "refused",
  refusal: { kind: "quotaExceeded", quota: "small", detail: "used 1 of 1" },
};

interface Answers {
  readonly secret?: SecretCreation;
  readonly instance?: InstanceCreation;
  /** What a look shows after the create. */
  readonly after: readonly ObservedInstance[] | "unavailable";
  readonly profile?: BindingProfile;
}

interface Created {
  readonly kind: string;
  readonly removed: readonly string[];
}

/** The Secrets that were written. */
const written: SecretSpec[] = [];

/** One create without any time to wait: how it ended, and the Secrets that were taken back. */
async function created({
  secret = { kind: "created", fence: { uid: "s", resourceVersion: "1" } },
  instance = { kind: "alreadyExists" },
  after,
  profile = moorageProfile,
}: Answers): Promise<Created> {
  const removed: string[] = [];
  const substrate: Partial<Substrate> = {
    scope: "test",
    createSecret: (spec) => {
      written.push(spec);
      return Promise.resolve(secret);
    },
    createInstance: () => Promise.resolve(instance),
    readInstances: () =>
      Promise.resolve(
        after === "unavailable"
          ? { kind: "unavailable", detail: "no answer", retryAfterMs: null }
          : { kind: "read", instances: after, version: "1" },
      ),
    deleteSecret: (name) => {
      removed.push(name);
      return Promise.resolve({ kind: "accepted" });
    },
  };
  const call = new Call(
    { agent: "scribe", profile, identity, deadlineMs: 0 },
    {
      substrate: substrate as Substrate,
      clock: { now: () => 0, sleep: () => Promise.resolve() },
      random: { token: (digits) => "f".repeat(digits), fraction: () => 0 },
      journal: { append: () => undefined },
      signal: createAbort().signal,
    },
    conditions.looking,
  );
  const { kind } = await create(call, {
    template,
    intent: intent("a"),
    notes: {},
    secrets: new Map([["TOKEN", "value"]]),
  });
  return { kind, removed };
}

const winner = observed(evidence.recoverable);
const ours = observed(evidence.recoverable, { attempt: parseAttempt("f".repeat(16)) ?? null });

it("P6: a loser takes back its own Secret", async () => {
  expect(await created({ after: [winner] })).toMatchObject({ kind: "lost", removed: [expect.any(String)] });
});

it("P6: while nobody tells who holds the name, the Secret stays: the instance may be our own", async () => {
  expect(await created({ after: "unavailable" })).toMatchObject({ removed: [] });
});

it("a quota that refuses is believed only after a look: the instance may be there already", async () => {
  expect(await created({ instance: quota, after: [winner] })).toMatchObject({
    kind: "lost",
    removed: [expect.any(String)],
  });
  expect(await created({ instance: quota, after: [ours] })).toEqual({ kind: "created", removed: [] });
  expect(await created({ instance: quota, after: [] })).toMatchObject({ kind: "deadline" });
});

it("a quota that refuses the Secret is believed only after a look as well", async () => {
  expect(await created({ secret: quota, after: [winner] })).toEqual({ kind: "lost", removed: [] });
  expect(await created({ secret: quota, after: [] })).toMatchObject({ kind: "deadline" });
});

it("a profile may tell the agent its attempt in the Secret, by the token that the Secret is named after", async () => {
  written.length = 0;
  await created({ after: [ours], profile: { ...moorageProfile, attemptDigits: 8, attemptVariable: "NONCE" } });
  await created({ after: [ours] });
  expect(written.map(({ name, data }) => [name.split("-").at(-1), Object.fromEntries(data)])).toEqual([
    ["ffffffff", { TOKEN: "value", NONCE: "ffffffff" }],
    ["f".repeat(16), { TOKEN: "value" }],
  ]);
});
