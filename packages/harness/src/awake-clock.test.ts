import { expect, test } from "vitest";
import { awakeClock } from "./awake-clock.ts";

const hours = 3_600_000;

/** A raw clock and timers that go only as the test says. */
function machine() {
  let raw = 5_000;
  let pending: { at: number; callback: () => void } | null = null;
  let wakeUps = 0;
  const clock = awakeClock({
    rawNow: () => raw,
    timer(ms, callback) {
      const own = { at: raw + ms, callback };
      expect(pending, "one timer serves all sleepers").toBeNull();
      pending = own;
      return () => {
        if (pending === own) pending = null;
      };
    },
  });
  async function fire(): Promise<void> {
    const due = pending;
    pending = null;
    wakeUps++;
    due?.callback();
    // Whoever woke up goes on in microtasks.
    for (let turns = 0; turns < 10; turns++) await Promise.resolve();
  }
  return {
    clock,
    /** The machine runs: timers come when they are due, or that much later. */
    async run(ms: number, lateMs = 0): Promise<void> {
      const until = raw + ms;
      while (pending !== null && pending.at + lateMs <= until) {
        raw = Math.max(raw, pending.at + lateMs);
        await fire();
      }
      raw = until;
    },
    /** The lid is closed: the clock goes on, nothing runs, then the timer that was due comes at once. */
    async sleepThrough(ms: number): Promise<void> {
      raw += ms;
      if (pending !== null && pending.at <= raw) await fire();
    },
    jump(ms: number): void {
      raw += ms;
    },
    get wakeUps(): number {
      return wakeUps;
    },
    get idle(): boolean {
      return pending === null;
    },
  };
}

function tracked(sleeping: Promise<void>): { readonly over: () => boolean } {
  let over = false;
  void sleeping.then(() => (over = true));
  return { over: () => over };
}

test("while the machine runs, time counts and sleepers wake when they are due", async () => {
  const { clock, run } = machine();
  const start = clock.now();
  const long = tracked(clock.sleep(30_000));
  const short = tracked(clock.sleep(100));
  await run(100);
  expect([short.over(), long.over()]).toEqual([true, false]);
  await run(29_899);
  expect(long.over()).toBe(false);
  await run(1);
  expect(long.over()).toBe(true);
  expect(clock.now() - start).toBe(30_000);
});

test("both clocks jump eight hours between two looks: nothing expires", async () => {
  const { clock, run, sleepThrough } = machine();
  const drain = tracked(clock.sleep(30_000));
  const idle = tracked(clock.sleep(2 * hours));
  await run(1_000);
  const before = clock.now();
  await sleepThrough(8 * hours);
  expect([drain.over(), idle.over()]).toEqual([false, false]);
  expect(clock.now() - before).toBeLessThanOrEqual(3_500);
  await run(25_000);
  expect(drain.over()).toBe(false);
  await run(5_000);
  expect(drain.over()).toBe(true);
  expect(idle.over()).toBe(false);
});

test("whoever asks for the time before the late timer comes does not count the gap either", async () => {
  const { clock, jump, run } = machine();
  const idle = tracked(clock.sleep(2 * hours));
  const before = clock.now();
  jump(8 * hours);
  expect(clock.now() - before).toBeLessThanOrEqual(3_500);
  expect(clock.now() - before).toBeLessThanOrEqual(3_500);
  await run(10);
  expect(idle.over()).toBe(false);
});

test("a gap of its own at a time: ten closed lids do not add up", async () => {
  const { clock, run, sleepThrough } = machine();
  const sleeper = tracked(clock.sleep(60_000));
  for (let lids = 0; lids < 10; lids++) {
    await run(1_000);
    await sleepThrough(1 * hours);
  }
  expect(sleeper.over()).toBe(false);
});

test("a clock that stands still while the machine sleeps counts nothing", async () => {
  const { clock, run, sleepThrough } = machine();
  const sleeper = tracked(clock.sleep(10_000));
  await run(5_000);
  await sleepThrough(0);
  expect(clock.now()).toBe(5_000);
  await run(5_000);
  expect(sleeper.over()).toBe(true);
});

test("a raw clock that steps back neither counts nor stops time", async () => {
  const { clock, run, jump } = machine();
  const sleeper = tracked(clock.sleep(4_000));
  await run(1_000);
  const before = clock.now();
  jump(-500);
  expect(clock.now()).toBe(before);
  await run(4_000);
  expect(sleeper.over()).toBe(true);
});

test("a timer that a busy machine serves late counts in full, up to the slack", async () => {
  const { clock, run } = machine();
  void clock.sleep(20_000);
  const before = clock.now();
  await run(35_000, 900);
  expect(clock.now() - before).toBe(35_000);
});

test("at rest it wakes up less than once in two seconds, however many sleep", async () => {
  const world = machine();
  for (let sleepers = 0; sleepers < 50; sleepers++) void world.clock.sleep(hours);
  await world.run(60_000);
  expect(world.wakeUps).toBeLessThanOrEqual(30);
});

test("an aborted sleep ends at once, and without sleepers nothing ticks", async () => {
  const world = machine();
  const { clock } = world;
  const stop = new AbortController();
  const sleeper = clock.sleep(hours, stop.signal);
  expect(world.idle).toBe(false);
  stop.abort();
  await sleeper;
  await clock.sleep(hours, stop.signal);
  await clock.sleep(0);
  expect(world.idle).toBe(true);
  const before = clock.now();
  world.jump(8 * hours);
  expect(clock.now() - before).toBe(8 * hours);
});

test("with the system's own clock and timers", async () => {
  const clock = awakeClock();
  const before = clock.now();
  await clock.sleep(20);
  expect(clock.now() - before).toBeGreaterThanOrEqual(20);
});
