import { expect, it } from "vitest";
import { Timetable } from "./timetable.ts";

function timetable(): { times: Timetable; pass: (ms: number) => void } {
  let now = 0;
  const clock = { now: () => now, sleep: () => Promise.resolve() };
  const random = { token: () => "", fraction: () => 0.5 };
  return { times: new Timetable(clock, random), pass: (ms) => void (now += ms) };
}

it("the bake time of a trial that failed is not counted for the next one, of the same bundle either", () => {
  const { times, pass } = timetable();
  times.started();
  times.bake({ digest: "bad", ms: 10_000 });
  pass(4_000);
  times.bake({ digest: "good", ms: 10_000 });
  pass(4_000);
  times.bake({ digest: "bad", ms: 10_000 });
  pass(9_999);
  expect(times.takeDue()).toEqual({ retry: null, baked: null });
  pass(1);
  expect(times.takeDue()).toEqual({ retry: null, baked: "bad" });
  expect(times.dueAt()).toBeNull();
});

it("the bake time begins when the program runs", () => {
  const { times, pass } = timetable();
  times.bake({ digest: "one", ms: 10_000 });
  expect(times.dueAt()).toBeNull();
  pass(60_000);
  times.started();
  expect(times.dueAt()).toBe(70_000);
});
