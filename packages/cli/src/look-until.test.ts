import { awakeClock } from "@moorage/local";
import { expect, test } from "vitest";
import { lookUntil } from "./look-until.ts";

const clock = awakeClock();
const { signal } = new AbortController();

test("looks until something is found, and no longer", async () => {
  let looks = 0;
  const third = (): string | null => ((looks += 1) === 3 ? "found" : null);
  expect(await lookUntil(third, { clock, signal, pauseMs: () => 1 })).toBe("found");
  expect(looks).toBe(3);
});

test("after the time, or an abort during a look, there is one last look that is told so", async () => {
  const stop = new AbortController();
  for (const ends of [{ until: clock.now() + 5 }, { signal: stop.signal }]) {
    const told: boolean[] = [];
    const look = (late: boolean): null => {
      told.push(late);
      if ("signal" in ends) stop.abort();
      return null;
    };
    expect(await lookUntil(look, { clock, signal, pauseMs: () => 1, ...ends })).toBeNull();
    expect(told.indexOf(true)).toBe(told.length - 1);
    expect(told[0]).toBe(false);
  }
});
