import { expect, it } from "vitest";
import { createAbort } from "../ports/abort.ts";
import type { InstanceCreation, Substrate } from "../ports/substrate.ts";
import { Call } from "./call.ts";
import * as conditions from "./conditions.ts";
import { create } from "./create.ts";
import type { ObservedInstance } from "./observation.ts";
import { evidence, identity, intent, observed } from "./observed.fixture.ts";
import { moorageProfile } from "./profile.ts";

/** Creates against a name that is taken, without any time to wait; the Secrets that were taken back. */
async function takenBack(after: readonly ObservedInstance[] | "unavailable"): Promise<string[]> {
  const removed: string[] = [];
  const substrate: Partial<Substrate> = {
    scope: "test",
    createSecret: () => Promise.resolve({ kind: "created", fence: { uid: "s", resourceVersion: "1" } }),
    createInstance: (): Promise<InstanceCreation> => Promise.resolve({ kind: "alreadyExists" }),
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
    { agent: "scribe", profile: moorageProfile, identity, deadlineMs: 0 },
    {
      substrate: substrate as Substrate,
      clock: { now: () => 0, sleep: () => Promise.resolve() },
      random: { token: (digits) => "f".repeat(digits), fraction: () => 0 },
      journal: { append: () => undefined },
      signal: createAbort().signal,
    },
    conditions.looking,
  );
  const template = {
    kind: "process",
    command: ["a"],
    directory: "/",
    buildId: "b",
    env: {},
    secretKeys: [],
    drainMs: 1,
    graceMs: 2,
    idleMs: null,
    health: { kind: "none" },
    catalog: null,
    identityKey: null,
  } as const;
  await create(call, { template, intent: intent("a"), notes: {}, secrets: new Map() });
  return removed;
}

it("P6: a loser takes back its own Secret", async () => {
  expect(await takenBack([observed(evidence.recoverable)])).toHaveLength(1);
});

it("P6: while nobody tells who holds the name, the Secret stays: the instance may be our own", async () => {
  expect(await takenBack("unavailable")).toEqual([]);
});
