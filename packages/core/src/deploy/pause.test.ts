import { expect, it } from "vitest";
import { createAbort } from "../ports/abort.ts";
import type { Substrate } from "../ports/substrate.ts";
import { Call } from "./call.ts";
import * as conditions from "./conditions.ts";
import { identity } from "./observed.fixture.ts";
import { moorageProfile } from "./profile.ts";

/** How long a call sleeps that has ten minutes left, when the other side asks for so long. */
async function slept(askedMs: number | null): Promise<number> {
  let ms = 0;
  const call = new Call(
    { agent: "scribe", profile: moorageProfile, identity, deadlineMs: 600_000 },
    {
      substrate: {} as Substrate,
      clock: { now: () => 0, sleep: async (forMs) => void (ms += forMs) },
      random: { token: () => "", fraction: () => 0 },
      journal: { append: () => undefined },
      signal: createAbort().signal,
    },
    conditions.looking,
  );
  expect(await call.pause(askedMs)).toBe(true);
  return ms;
}

it("is as long as the other side asks for", async () => {
  expect(await slept(5_000)).toBe(5_000);
  expect(await slept(30_000)).toBe(30_000);
});

it("but one who asks for an hour is asked again within half a minute", async () => {
  expect(await slept(3_600_000)).toBe(30_000);
});

it("is short where nobody asks for anything", async () => {
  expect(await slept(null)).toBe(50);
});
