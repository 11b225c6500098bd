// A short simulation of a fleet's updates: every promise holds in random histories, a broken one is noticed, a seed replays and shrinks.
import type { Admission, Life } from "@moorage/core";
import { newLife } from "@moorage/core";
import { describe, expect, test } from "vitest";
import { ChannelStore, channel } from "./channel.ts";
import type { FleetPromise, FleetViolation } from "./fleet-promises.ts";
import { FleetPromises, secretValue } from "./fleet-promises.ts";
import { lifeFaults } from "./life-promises.ts";
import type { PlayedFleet } from "./play-fleet.ts";
import { playFleet } from "./play-fleet.ts";
import { randomFleetHistory } from "./random-fleet-history.ts";
import { shrinkFleet, tellFleet } from "./tell-fleet.ts";

const histories = 120;

const played = new Map<number, Promise<PlayedFleet>>();

function playOnce(seed: number): Promise<PlayedFleet> {
  const before = played.get(seed);
  if (before !== undefined) return before;
  const now = playFleet(randomFleetHistory(seed));
  played.set(seed, now);
  return now;
}

async function breaches(...promises: readonly FleetPromise[]): Promise<FleetViolation[]> {
  const found: FleetViolation[] = [];
  for (let seed = 1; seed <= histories; seed += 1)
    found.push(...(await playOnce(seed)).violations.filter(({ promise }) => promises.includes(promise)));
  return found;
}

const old = { wireVersion: 3, eventLogSchema: 7, crdApiVersion: "moorage.dev/v1" };
const other = { ...old, eventLogSchema: 8 };
const run = { buildId: "b1", target: old, takesPart: "socket", turns: 1, bakeMs: 1, check: false } as const;

function watch(): FleetPromises {
  return new FleetPromises(
    () => 0,
    (uid) => (uid.startsWith("new") ? other : old),
  );
}

function seen({ violations }: FleetPromises): string[] {
  return violations.map(({ promise }) => promise);
}

function storeOf(nature: "good" | "bad" | "broken", target: typeof old): ChannelStore {
  const store = new ChannelStore();
  store.publish({ content: 1, nature, target }, null, 1, true);
  return store;
}

function confirmedOn(store: ChannelStore): Life {
  const [bundle] = store.line;
  if (bundle === undefined) throw new Error("it was published");
  return { ...newLife(channel, run), use: { kind: "confirmed", bundle, proof: "proven" } };
}

describe("the promises", () => {
  test("P7: no secret value is in any document, journal or answer", async () => {
    expect(await breaches("P7")).toEqual([]);
    const promises = watch();
    promises.written("release", "writers", `{"key":"${secretValue}"}`);
    expect(seen(promises)).toEqual(["P7"]);
  });

  test("P8: nothing runs on a bundle that is for another runtime", async () => {
    expect(await breaches("P8")).toEqual([]);
    const store = storeOf("good", other);
    expect(lifeFaults(confirmedOn(store), store.head()?.digest, store)).toMatchObject([["P8", expect.any(String)]]);
  });

  test("P9: nothing broken is in use, nothing bad is confirmed, and a life says what runs", async () => {
    expect(await breaches("P9")).toEqual([]);
    for (const nature of ["bad", "broken"] as const) {
      const store = storeOf(nature, old);
      expect(lifeFaults(confirmedOn(store), store.head()?.digest, store)).toMatchObject([["P9", expect.any(String)]]);
    }
    const store = storeOf("good", old);
    const digest = store.head()?.digest;
    expect(lifeFaults(confirmedOn(store), digest, store)).toEqual([]);
    expect(lifeFaults(newLife(channel, run), digest, store)).toMatchObject([["P9", expect.any(String)]]);
    expect(lifeFaults(confirmedOn(store), null, store)).toMatchObject([["P9", expect.any(String)]]);
  });

  test("P10: two formats never live side by side, whoever slips", async () => {
    expect(await breaches("P10")).toEqual([]);
    const promises = watch();
    promises.began("", "old1");
    promises.began("", "old2");
    expect(seen(promises)).toEqual([]);
    promises.began("", "new1");
    expect(new Set(seen(promises))).toEqual(new Set(["P10"]));
  });

  test("P11: nothing is done without a person's recorded decision", async () => {
    expect(await breaches("P11")).toEqual([]);
    const promises = watch();
    promises.acts("it stops agents");
    expect(seen(promises)).toEqual(["P11"]);
  });

  test("P12: nothing that ended runs again but by a start, or once after a trial that failed", async () => {
    expect(await breaches("P12")).toEqual([]);
  });

  test("whatever is refused is told, every caller gets an answer, and any history ends healthy on the newest good bundle", async () => {
    expect(await breaches("told", "answer", "rest")).toEqual([]);
  });
});

test("the histories reach what they are for", async () => {
  const reached = new Set<string>();
  for (let seed = 1; seed <= histories; seed += 1)
    for (const outcome of (await playOnce(seed)).outcomes) reached.add(outcome);
  for (const outcome of [
    "execute done",
    "execute aborted",
    "execute held",
    "execute waiting",
    "execute busy",
    "decide approve decided",
    "decide approve lost",
    "decide goBack decided",
    "publish lost",
    "publish publish",
    "propose underWay",
    "turnBack turned",
    "start refused (fleetClosed)",
    "start refused (otherFormats)",
    "start refused (admissionDenied)",
  ])
    expect(reached).toContain(outcome);
});

describe("a seed", () => {
  test("gives the same trace again, also with its faults given one by one", async () => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const first = await playOnce(seed);
      const again = await playFleet({ ...randomFleetHistory(seed), faults: { kind: "given", list: first.faults } });
      expect(again.digest).toBe(first.digest);
    }
    expect((await playOnce(1)).digest).not.toBe((await playOnce(2)).digest);
  });

  test("of starts that pass the gate once only breaks P10, and shrinks to a story of a few steps", async () => {
    const admission = (real: Admission): Admission => ({ ...real, stillHolds: async () => null });
    for (let seed = 1; ; seed += 1) {
      const history = randomFleetHistory(seed);
      const { violations } = await playFleet(history, { admission });
      if (!violations.some(({ promise }) => promise === "P10")) continue;
      const small = await shrinkFleet(history, "P10", { admission }, 120);
      const told = await playFleet(small, { admission, story: true });
      expect(told.violations.map(({ promise }) => promise)).toContain("P10");
      expect(small.steps.length).toBeLessThanOrEqual(9);
      expect(tellFleet(small, told)).toContain("P10 at ");
      return;
    }
  });
});
