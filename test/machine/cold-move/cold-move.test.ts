/** A cold move on one machine: nobody ever sees two formats at once, whoever is killed, slips in or changes their mind. The rest are long rounds. */
import { describe, expect, it } from "vitest";
import { until } from "../until.ts";
import { Fleet } from "./fleet.ts";
import { killAt } from "./kill-at.ts";

const newOnes = ["scribe 2", "editor 2"];
const oldOnes = ["scribe 1", "editor 1"];
const failing = "echo half of it is done; exit 3";

describe.concurrent("a cold move", () => {
  it("P11: says beforehand what moves, who stops and where nothing leads back, and is carried out once approved", async () => {
    await using fleet = new Fleet({ axis: "eventLogSchema" });
    const notice = await fleet.proposed();
    expect(notice).toMatchObject({ about: "coldMove", choices: ["approve", "reject"] });
    expect(notice.reason).toContain("event-log schema 1 → 2");
    expect(notice.reason).toContain("all 2 agents stop");
    expect(notice.reason).toContain("nothing leads back");
    expect(await fleet.running()).toEqual(oldOnes);
    const approved = await fleet.run(["mailbox", "approve", notice.id]);
    expect(approved).toMatchObject({ exit: 0 });
    expect(approved.stdout).toContain("the fleet runs with the new formats");
    expect(await fleet.running()).toEqual(newOnes);
    expect(fleet.formats()).toEqual(["1", "2"]);
    expect((await fleet.mailbox()).notices).toEqual([]);
    const journal = await fleet.run(["journal"]);
    expect(journal.stdout).toMatch(/writers decide approve: .*approve, decided by .+@/);
  });

  it("P10: lets no start slip in: neither an old build nor a new one, while the fleet is closed", async () => {
    await using fleet = new Fleet();
    const notice = await fleet.proposed("--migration", "echo run >> begun; until test -f go; do sleep 0.05; done");
    fleet.declareFormat(1, "old.yaml");
    const approving = fleet.start(["mailbox", "approve", notice.id]);
    await until("the migration is under way", () => fleet.has("begun"));
    expect(await fleet.running()).toEqual([]);
    const old = await fleet.ask(["deploy", "--file", "old.yaml"]);
    expect(old).toMatchObject({ exit: 4 });
    expect(old.agents.map(({ condition }) => condition?.code)).toEqual(["fleetClosed", "fleetClosed"]);
    const fresh = await fleet.ask(["deploy"]);
    expect(fresh.agents.map(({ condition }) => condition?.code)).toEqual(["fleetClosed", "fleetClosed"]);
    const other = await fleet.run(["update", "apply"]);
    expect(other).toMatchObject({ exit: 3 });
    expect(other.stdout).toContain("another call has its cold move in hand");
    fleet.write("go", "");
    expect(await approving.done).toMatchObject({ exit: 0 });
    expect(fleet.read("begun")).toBe("run\n");
    expect(await fleet.running()).toEqual(newOnes);
    const late = await fleet.ask(["deploy", "--file", "old.yaml", "scribe"]);
    expect(late).toMatchObject({ exit: 4 });
    expect(fleet.formats()).toEqual(["1", "2"]);
  });
});

describe.concurrent("an executor that is killed", () => {
  it("is taken up by the next call", async () => {
    await using fleet = new Fleet();
    const notice = await fleet.proposed("--migration", "echo once more >> migrated; sleep 0.2");
    await killAt(fleet, ["mailbox", "approve", notice.id], "writers: switched:");
    expect((await fleet.run(["status"])).stdout).toContain("a cold move (wire version 1 → 2) is under way");
    const status = await fleet.run(["mailbox", "approve", notice.id]);
    expect(status, status.stdout + status.stderr).toMatchObject({ exit: 0 });
    expect(await fleet.running()).toEqual(newOnes);
    expect(fleet.formats()).toEqual(["1", "2"]);
    expect(fleet.has("migrated")).toBe(true);
    expect((await fleet.mailbox()).notices).toEqual([]);
  });
});

describe.concurrent("a move that is held", () => {
  it("starts no build under formats that are not its own: edited files keep it from going back", async () => {
    await using fleet = new Fleet();
    const notice = await fleet.proposed("--migration", failing);
    expect(await fleet.run(["mailbox", "approve", notice.id])).toMatchObject({ exit: 4 });
    const held = await fleet.waiting();
    const program = fleet.read("agent.mjs");
    fleet.write("agent.mjs", `${program}// edited\n`);
    expect(await fleet.run(["mailbox", "decide", held.id, "go-back"])).toMatchObject({ exit: 4 });
    expect(await fleet.running()).toEqual([]);
    const stuck = await fleet.waiting();
    expect(stuck.reason).toContain("not those that were recorded");
    fleet.write("agent.mjs", program);
    expect(await fleet.run(["mailbox", "decide", stuck.id, "go-on"])).toMatchObject({ exit: 0 });
    expect(await fleet.running()).toEqual(oldOnes);
  });
});
