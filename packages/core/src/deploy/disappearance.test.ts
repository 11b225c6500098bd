import { expect, it } from "vitest";
import { createAbort } from "../ports/abort.ts";
import type { Clock } from "../ports/clock.ts";
import type { Hint, Substrate } from "../ports/substrate.ts";
import { Call } from "./call.ts";
import * as conditions from "./conditions.ts";
import { confirmGone } from "./disappearance.ts";
import { attempt, evidence, identity, instance, observed } from "./observed.fixture.ts";
import { moorageProfile } from "./profile.ts";

/** A read shows nothing any more of what was last seen like this; `replayed` is what the watch tells of its removal. */
async function vanished(lastSeen: keyof typeof evidence, replayed: keyof typeof evidence | null = null) {
  async function* follow(): AsyncGenerator<Hint> {
    if (replayed !== null) yield { kind: "removed", last: observed(evidence[replayed]) };
  }
  const substrate = { scope: "test", follow } as Partial<Substrate> as Substrate;
  let now = 0;
  const clock: Clock = {
    now: () => now,
    async sleep(ms, signal) {
      for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
      if (signal?.aborted !== true) now += ms;
    },
  };
  const random = { token: () => "0", fraction: () => 0 };
  const subject = { agent: "scribe", profile: moorageProfile, identity, deadlineMs: 60_000 };
  const ports = { substrate, clock, random, journal: { append: () => undefined }, signal: createAbort().signal };
  const call = new Call(subject, ports, conditions.looking);
  call.lastSeen.note(instance(evidence[lastSeen]), "1");
  const gone = new Set<typeof attempt>();
  const end = await confirmGone(call, null, gone);
  return { end, gone: [...gone] };
}

it("the Secret of an instance may follow when a read does not show it any more, and it had ended or never begun", async () => {
  expect(await vanished("terminated")).toEqual({ end: null, gone: [attempt] });
  expect(await vanished("recoverable")).toEqual({ end: null, gone: [attempt] });
  expect(await vanished("started", "terminated")).toEqual({ end: null, gone: [attempt] });
});

it("nothing follows one that was last seen running: its process may be alive", async () => {
  const unconfirmed = { end: { condition: { code: "removedUnconfirmed" } }, gone: [] };
  expect(await vanished("started")).toMatchObject(unconfirmed);
  expect(await vanished("started", "started")).toMatchObject(unconfirmed);
});
