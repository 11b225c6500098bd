import { describe, expect, it } from "vitest";
import { endAgent } from "./end-agent.ts";
import type { Kill } from "./process/end-tree.ts";
import { entry, handClock, mark, tableOf } from "./processes.fixture.ts";

const hurry = new AbortController().signal;

describe("the end of an agent", () => {
  it("is waited for until a process that may not be signalled is gone by itself", async () => {
    let now = 0;
    const clock = handClock((time) => {
      now = time;
    });
    const table = tableOf(() => ({
      kind: "read",
      processes: now < 40_000 ? [entry(101, { group: 100, session: 100 })] : [],
    }));
    const kill: Kill = () => "denied";
    const end = await endAgent({ mark, kin: [], graceMs: 1_000, hurry, table, kill, clock });
    expect(end.killed).toBe(true);
    expect(now).toBeGreaterThanOrEqual(40_000);
  });

  it("is its group's where no process can be read", async () => {
    const sent: string[] = [];
    let left = 3;
    const kill: Kill = (pid, signal) => {
      sent.push(`${signal} ${pid}`);
      if (signal === "SIGCONT") left -= 1;
      return left > 0 ? "sent" : "gone";
    };
    const table = tableOf(() => ({ kind: "unreadable", detail: "no ps" }));
    const end = await endAgent({ mark, kin: [], graceMs: 60_000, hurry, table, kill, clock: handClock() });
    expect(end.killed).toBe(false);
    expect(sent).toEqual(["SIGTERM -100", "SIGCONT -100", "SIGCONT -100", "SIGCONT -100"]);
  });

  it("is its group's SIGKILL there when the grace is over", async () => {
    let killed = false;
    const kill: Kill = (_pid, signal) => {
      if (signal === "SIGKILL") killed = true;
      return killed && signal !== "SIGKILL" ? "gone" : "sent";
    };
    const clock = handClock();
    const table = tableOf(() => ({ kind: "unreadable", detail: "no ps" }));
    expect(await endAgent({ mark, kin: [], graceMs: 5_000, hurry, table, kill, clock })).toEqual({ killed: true });
    expect(clock.now()).toBeGreaterThanOrEqual(5_000);
  });
});
