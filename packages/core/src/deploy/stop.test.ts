import { expect, it } from "vitest";
import { createAbort } from "../ports/abort.ts";
import type { Hint, Substrate } from "../ports/substrate.ts";
import { secretName } from "./identity.ts";
import { secretMarks } from "./marks.ts";
import { attempt, evidence, identity, observed } from "./observed.fixture.ts";
import { moorageProfile } from "./profile.ts";
import { stopAgent } from "./stop.ts";

it("an instance that vanishes between two reads, so that no hint tells of it, takes its Secret along", async () => {
  const removed: string[] = [];
  const secret = secretName(moorageProfile, identity, attempt);
  let deleted = false;
  async function* follow(): AsyncGenerator<Hint> {
    yield { kind: "over", detail: "cut", retryAfterMs: null };
  }
  const substrate: Partial<Substrate> = {
    scope: "test",
    readInstances: () =>
      Promise.resolve({ kind: "read", instances: deleted ? [] : [observed(evidence.recoverable)], version: "1" }),
    deleteInstance: () => {
      deleted = true;
      return Promise.resolve({ kind: "accepted" });
    },
    follow,
    listSecrets: () => {
      const fence = { uid: "s", resourceVersion: "1" };
      const marked = secretMarks(moorageProfile, identity, 60);
      return Promise.resolve({
        kind: "read",
        secrets: [{ name: secret, fence, createdAt: null, ...marked }],
        serverTime: null,
      });
    },
    deleteSecret: (name) => {
      removed.push(name);
      return Promise.resolve({ kind: "accepted" });
    },
  };
  const outcome = await stopAgent(
    { agent: "scribe", profile: moorageProfile, identity, deadlineMs: 60_000 },
    {
      substrate: substrate as Substrate,
      clock: { now: () => 0, sleep: () => new Promise((resolve) => setImmediate(resolve)) },
      random: { token: () => "0", fraction: () => 0 },
      journal: { append: () => undefined },
      signal: createAbort().signal,
    },
  );
  expect(outcome).toMatchObject({ outcome: "stopped" });
  expect(removed).toEqual([secret]);
});
