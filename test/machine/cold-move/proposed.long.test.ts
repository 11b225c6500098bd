/** Cold moves that wait for their approval: what was seen is what is done, and nobody is touched before. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Fleet } from "./fleet.ts";

const newOnes = ["scribe 2", "editor 2"];
const oldOnes = ["scribe 1", "editor 1"];

describe("a cold move that is proposed", () => {
  it("that is rejected has touched nothing", async () => {
    await using fleet = new Fleet();
    const notice = await fleet.proposed();
    const before = await fleet.ask(["status"]);
    const rejected = await fleet.run(["mailbox", "reject", notice.id.slice(0, 6)]);
    expect(rejected).toMatchObject({ exit: 0 });
    expect(rejected.stdout).toContain("it was rejected");
    const after = await fleet.ask(["status"]);
    expect(after.agents.map(({ pid, startedAt }) => ({ pid, startedAt }))).toEqual(
      before.agents.map(({ pid, startedAt }) => ({ pid, startedAt })),
    );
    expect((await fleet.mailbox()).notices).toEqual([]);
    expect(fleet.formats()).toEqual(["1"]);
  });

  it("is what the person saw, or it is not approved: with other files of a build it is proposed anew", async () => {
    await using fleet = new Fleet();
    const notice = await fleet.proposed();
    fleet.write("agent.mjs", `${fleet.read("agent.mjs")}// edited\n`);
    const approved = await fleet.ask(["mailbox", "approve", notice.id]);
    expect(approved).toMatchObject({ exit: 5, code: "noticeMoved" });
    expect(await fleet.running()).toEqual(oldOnes);
    expect(await fleet.apply()).toMatchObject({ exit: 4 });
    const fresh = await fleet.waiting();
    expect(fresh.evidence["members"]).not.toBe(notice.evidence["members"]);
    expect(await fleet.run(["mailbox", "approve", fresh.id])).toMatchObject({ exit: 0 });
    expect(fleet.formats()).toEqual(["1", "2"]);
  });

  it("is proposed for a fleet of which nobody runs, and gives it nothing that would not start before", async () => {
    await using fleet = new Fleet({ axis: "eventLogSchema", catalog: true });
    fleet.declareFormat(1);
    expect(await fleet.run(["deploy"])).toMatchObject({ exit: 0 });
    expect(await fleet.run(["stop", "--all"])).toMatchObject({ exit: 0 });
    fleet.declareFormat(2);
    expect((await fleet.run(["update", "plan"])).stdout).toMatch(/scribe .*cold .*whole fleet moves/);
    expect(await fleet.apply()).toMatchObject({ exit: 4 });
    const notice = await fleet.waiting();
    expect(notice).toMatchObject({ about: "coldMove" });
    // Who goes back before it is approved starts on what fits.
    fleet.declareFormat(1);
    expect(await fleet.run(["deploy", "scribe"])).toMatchObject({ exit: 0 });
    expect((await fleet.run(["update", "status", "scribe"])).stdout).not.toContain("refused");
    expect(await fleet.run(["stop", "--all"])).toMatchObject({ exit: 0 });
    fleet.declareFormat(2);
    await fleet.apply();
    expect(await fleet.run(["mailbox", "approve", (await fleet.waiting()).id])).toMatchObject({ exit: 0 });
    expect(await fleet.running()).toEqual([]);
    expect(await fleet.run(["deploy"])).toMatchObject({ exit: 0 });
    expect(await fleet.running()).toEqual(newOnes);
  });

  it("is not approved for an agent that is not declared any more: nobody stops", async () => {
    await using fleet = new Fleet();
    const notice = await fleet.proposed();
    const [first = ""] = fleet.read("agent.yaml").split("---\n");
    fleet.write("agent.yaml", first);
    expect(await fleet.ask(["mailbox", "approve", notice.id])).toMatchObject({ exit: 5, code: "noticeMoved" });
    expect(await fleet.running()).toEqual(oldOnes);
  });

  it("stops nobody whom the call could not start again, and records no secret value", async () => {
    await using fleet = new Fleet({ secret: true });
    const env = { TOKEN: "s3cr3t-of-the-fleet" };
    fleet.declareFormat(1);
    expect(await fleet.run(["deploy"], { env })).toMatchObject({ exit: 0 });
    fleet.declareFormat(2);
    expect(await fleet.run(["update", "apply"], { env })).toMatchObject({ exit: 4 });
    const notice = await fleet.waiting();
    const blind = await fleet.ask(["mailbox", "approve", notice.id]);
    expect(blind).toMatchObject({ exit: 2, code: "secretMissing" });
    expect(blind.message).toContain("nothing was decided");
    expect(await fleet.running()).toEqual(oldOnes);
    expect((await fleet.waiting()).id).toBe(notice.id);
    expect(await fleet.run(["mailbox", "approve", notice.id], { env })).toMatchObject({ exit: 0 });
    expect(await fleet.running()).toEqual(newOnes);
    await fleet.run(["stop", "--all"]);
    await fleet.atRest();
    const database = readFileSync(join(fleet.state, "state.db"), "latin1");
    expect(database).not.toContain(env.TOKEN);
    expect(fleet.formats()).toEqual(["1", "2"]);
  });

  it("takes the whole fleet: an agent that is not declared here keeps it from being proposed", async () => {
    await using fleet = new Fleet();
    fleet.declareFormat(1);
    await fleet.run(["deploy"]);
    fleet.declareFormat(2);
    const [, editor = ""] = fleet.read("agent.yaml").split("---\n");
    fleet.write("agent.yaml", editor);
    const told = await fleet.ask(["update", "apply"]);
    expect(told).toMatchObject({ exit: 2, code: "fleetIncomplete" });
    expect(told.message).toContain("scribe");
    expect(await fleet.running()).toEqual(oldOnes);
  });
});

describe("two terminals", () => {
  it("that decide at once: one wins, and the other is told who decided what", async () => {
    await using fleet = new Fleet();
    const notice = await fleet.proposed();
    const calls = ["reject", "approve"].map((choice) =>
      fleet.ask(["mailbox", choice, notice.id, "--revision", String(notice.revision)]),
    );
    const told = await Promise.all(calls);
    expect(new Set(told.map(({ exit }) => exit))).toEqual(new Set([0, 5]));
    const lost = told.find(({ exit }) => exit === 5);
    expect(lost).toMatchObject({ code: "decidedAlready" });
    expect(lost?.message).toMatch(/decided before: (approve|reject), by .+@/);
    const whole = await fleet.mailbox("--all");
    const decided = whole.notices.find(({ id }) => id === notice.id);
    const won = decided?.decision?.choice;
    expect(await fleet.running()).toEqual(won === "approve" ? newOnes : oldOnes);
    expect(lost?.message).toContain(String(won));
  });
});
