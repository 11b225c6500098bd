/** Executors of a cold move that are killed in each of its states: the next call goes on, and nobody sees two formats. */
import { describe, expect, it } from "vitest";
import { until } from "../until.ts";
import { Fleet } from "./fleet.ts";
import { killAt } from "./kill-at.ts";

const newOnes = ["scribe 2", "editor 2"];
const oldOnes = ["scribe 1", "editor 1"];
const failing = "echo half of it is done; exit 3";

describe("an executor that is killed", () => {
  it.each(["approved", "quiescing", "stopped", "migrated", "starting"])(
    "while it is %s is taken up by the next call",
    async (state) => {
      await using fleet = new Fleet();
      const notice = await fleet.proposed("--migration", "echo once more >> migrated; sleep 0.2");
      await killAt(fleet, ["mailbox", "approve", notice.id], `writers: ${state}:`);
      expect((await fleet.run(["status"])).stdout).toContain("a cold move (wire version 1 → 2) is under way");
      const status = await fleet.run(["mailbox", "approve", notice.id]);
      expect(status, status.stdout + status.stderr).toMatchObject({ exit: 0 });
      expect(await fleet.running()).toEqual(newOnes);
      expect(fleet.formats()).toEqual(["1", "2"]);
      expect(fleet.has("migrated")).toBe(true);
      expect((await fleet.mailbox()).notices).toEqual([]);
    },
  );

  it.each(["the fleet is closed", "came up with the new", "take effect", "nothing new lives", "old builds come up"])(
    "on the way back, when %s, is taken up by the next update",
    async (words) => {
      await using fleet = new Fleet();
      const notice = await fleet.proposed("--migration", failing);
      expect(await fleet.run(["mailbox", "approve", notice.id])).toMatchObject({ exit: 4 });
      const held = await fleet.waiting();
      await killAt(fleet, ["mailbox", "decide", held.id, "go-back"], words, "writers: returning:");
      const applied = await fleet.apply();
      expect(applied.stdout, applied.stdout + applied.stderr).toContain("runs with the old formats again");
      expect(await fleet.running()).toEqual(oldOnes);
      expect(fleet.formats()).toEqual(["1"]);
    },
  );

  it("leaves no migration behind that runs beside the next", async () => {
    await using fleet = new Fleet();
    const command =
      'mkdir alone || exit 9; echo run >> runs; sleep "$(test -f again && echo 0 || echo 1)"; rmdir alone';
    const notice = await fleet.proposed("--migration", command);
    const first = fleet.start(["mailbox", "approve", notice.id]);
    await until("it migrates", () => fleet.has("runs"));
    first.child.kill("SIGKILL");
    await first.done;
    fleet.write("again", "");
    const second = await fleet.run(["mailbox", "approve", notice.id]);
    expect(second, second.stdout + second.stderr).toMatchObject({ exit: 0 });
    expect(fleet.read("runs")).toBe("run\nrun\n");
    expect(fleet.formats()).toEqual(["1", "2"]);
  });

  it("by Ctrl-C is not: the migration comes to its end, and the next call goes on", async () => {
    await using fleet = new Fleet();
    const notice = await fleet.proposed("--migration", "echo begun > begun; sleep 0.5; echo whole > whole");
    const call = fleet.start(["mailbox", "approve", notice.id]);
    await until("it migrates", () => fleet.has("begun"));
    call.child.kill("SIGINT");
    const interrupted = await call.done;
    expect(interrupted).toMatchObject({ exit: 130 });
    expect(fleet.has("whole")).toBe(true);
    expect(interrupted.stdout).toContain("goes on with it");
    expect(await fleet.running()).toEqual([]);
    const applied = await fleet.apply();
    expect(applied.stdout, applied.stdout + applied.stderr).toContain("the fleet runs with the new formats");
    expect(fleet.formats()).toEqual(["1", "2"]);
  });
});
