import { describe, expect, it } from "vitest";
import { KinWatch } from "./kin-watch.ts";
import type { ProcessEntry } from "./process/process-table.ts";
import { entry, handClock, mark, tableOf } from "./processes.fixture.ts";

function watch(
  scans: readonly (readonly ProcessEntry[])[],
  hides = true,
): { kin: KinWatch; looks: () => number; wait: (ms: number) => Promise<void> } {
  let looks = 0;
  const clock = handClock();
  const table = tableOf(() => {
    const processes = scans[Math.min(looks, scans.length - 1)] ?? [];
    looks += 1;
    return { kind: "read", processes };
  }, hides);
  return { kin: new KinWatch(table, clock, mark), looks: () => looks, wait: async (ms) => await clock.sleep(ms) };
}

const leader = entry(100);
const helper = entry(200, { parent: 100 });
const orphan = entry(200, { parent: 1 });
const grandchild = entry(300, { parent: 200 });

describe("kin", () => {
  it("are remembered after their leader is gone, with what they start since", async () => {
    const { kin } = watch([
      [leader, helper],
      [orphan, grandchild],
    ]);
    await kin.look();
    await kin.look();
    expect(new Set(kin.kin.map(({ pid }) => pid))).toEqual(new Set([200, 300]));
  });

  it("whose number was given away are forgotten", async () => {
    const { kin } = watch([
      [leader, helper],
      [leader, entry(200, { start: 999 })],
    ]);
    await kin.look();
    await kin.look();
    expect(kin.kin.map(({ pid }) => pid)).toEqual([100]);
  });

  it("are looked for now and then, not at every tick", async () => {
    const { kin, looks, wait } = watch([[leader]]);
    await kin.tick();
    await wait(29_000);
    await kin.tick();
    expect(looks()).toBe(1);
    await wait(1_000);
    await kin.tick();
    expect(looks()).toBe(2);
  });

  it("are not looked for where environments tell", async () => {
    const { kin, looks } = watch([[leader, helper]], false);
    await kin.tick();
    await kin.look();
    expect([looks(), kin.kin]).toEqual([0, []]);
  });
});
