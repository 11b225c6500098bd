import { expect, it } from "vitest";
import { createAbort } from "../ports/abort.ts";
import type { JournalEntry } from "../ports/journal.ts";
import type { Hint, Refused, Substrate } from "../ports/substrate.ts";
import { Call } from "./call.ts";
import { collect, collectGone } from "./collect.ts";
import * as conditions from "./conditions.ts";
import { follow } from "./follow.ts";
import type { Attempt } from "./identity.ts";
import { look } from "./look.ts";
import { evidence, identity, observed } from "./observed.fixture.ts";
import { moorageProfile } from "./profile.ts";

function forbidden(verb: string, resource: string): Refused {
  return { kind: "refused", refusal: { kind: "forbidden", verb, resource, detail: "no such right" } };
}

/** What a call tells with a substrate that refuses these; it goes on without them. */
async function told(substrate: Partial<Substrate>, use: (call: Call) => Promise<unknown>): Promise<string[]> {
  const entries: JournalEntry[] = [];
  const call = new Call(
    { agent: "scribe", profile: moorageProfile, identity, deadlineMs: 1000 },
    {
      substrate: { scope: "test", ...substrate } as Substrate,
      clock: { now: () => 0, sleep: () => new Promise(() => undefined) },
      random: { token: (digits) => "f".repeat(digits), fraction: () => 0 },
      journal: { append: (entry) => void entries.push(entry) },
      signal: createAbort().signal,
    },
    conditions.looking,
  );
  await use(call);
  return entries.filter(({ step }) => step === "warn").map(({ message }) => message);
}

const nothing = { kind: "read", instances: [], version: "1" } as const;
const seen = { ...nothing, kind: "seen", own: null, duplicates: [], ended: [] } as const;

it("leftovers that may not be looked for are told, and once", async () => {
  const listSecrets = () => Promise.resolve(forbidden("list", "secrets"));
  const messages = await told({ listSecrets }, async (call) => {
    expect(await collect(call, seen, new Set())).toBe("free");
    await collectGone(call, new Set(["f".repeat(16) as Attempt]));
  });
  expect(messages).toEqual(["not allowed to list secrets: no such right"]);
});

it("a Secret that may not be looked at is told, and counts as there", async () => {
  const broken = observed(evidence.secretMissing);
  const messages = await told(
    {
      readInstances: () => Promise.resolve({ ...nothing, instances: [broken] }),
      secretExists: () => Promise.resolve(forbidden("get", "secrets")),
    },
    async (call) => expect(await look(call)).toMatchObject({ own: { startup: { kind: "recoverable" } } }),
  );
  expect(messages).toEqual(["not allowed to get secrets: no such right"]);
});

it("a follow that is refused is told, and ends in another look", async () => {
  const { refusal } = forbidden("watch", "pods");
  const over: Hint = { kind: "over", detail: "refused", retryAfterMs: null, refusal };
  const messages = await told(
    {
      follow: async function* () {
        yield await Promise.resolve(over);
      },
    },
    async (call) => {
      const followee = { from: "1", uid: "u", judged: new Set<string>(), judge: () => "goOn" as const, alone: true };
      expect(await follow(call, followee)).toEqual({ kind: "look", afterMs: null, troubled: true });
    },
  );
  expect(messages).toEqual(["not allowed to watch pods: no such right"]);
});
