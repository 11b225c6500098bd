/** Cold moves that are held, and what a person makes of it: on, back, back in spite of it, or left at that. */
import { describe, expect, it } from "vitest";
import { until } from "../until.ts";
import { Fleet } from "./fleet.ts";

const newOnes = ["scribe 2", "editor 2"];
const oldOnes = ["scribe 1", "editor 1"];
const failing = "echo half of it is done; exit 3";

describe("a move that is held", () => {
  it("shows the end of what the migration said, and goes on once it is put right", async () => {
    await using fleet = new Fleet();
    const notice = await fleet.proposed("--migration", `test -f right || { ${failing}; }`);
    const approved = await fleet.run(["mailbox", "approve", notice.id]);
    expect(approved).toMatchObject({ exit: 4 });
    const held = await fleet.waiting();
    expect(held).toMatchObject({ about: "moveHeld", choices: ["goOn", "goBack"] });
    const shown = await fleet.run(["mailbox", "show", held.id]);
    expect(shown.stdout).toContain("half of it is done");
    expect(shown.stdout).toContain("exit code 3");
    const again = await fleet.run(["mailbox", "decide", held.id, "go-on"]);
    expect(again).toMatchObject({ exit: 4 });
    const heldAgain = await fleet.waiting();
    expect(heldAgain.id).not.toBe(held.id);
    fleet.write("right", "");
    expect(await fleet.run(["mailbox", "decide", heldAgain.id, "go-on"])).toMatchObject({ exit: 0 });
    expect(await fleet.running()).toEqual(newOnes);
    expect(fleet.formats()).toEqual(["1", "2"]);
  });

  it("goes back with the builds that ran; behind the point of no return after a decision of its own", async () => {
    await using fleet = new Fleet({ axis: "eventLogSchema" });
    const notice = await fleet.proposed("--migration", failing);
    expect(await fleet.run(["mailbox", "approve", notice.id])).toMatchObject({ exit: 4 });
    const held = await fleet.waiting();
    const asked = await fleet.run(["mailbox", "decide", held.id, "go-back"]);
    expect(asked, asked.stdout + asked.stderr).toMatchObject({ exit: 4 });
    expect(await fleet.running()).toEqual([]);
    const { notices } = await fleet.mailbox();
    const own = notices.find(({ about }) => about === "pointOfNoReturn");
    expect(own?.choices).toEqual(["goBack", "goOn"]);
    const back = await fleet.run(["mailbox", "decide", own?.id ?? "", "go-back"]);
    expect(back, back.stdout + back.stderr).toMatchObject({ exit: 0 });
    expect(back.stdout).toContain("runs with the old formats again");
    expect(await fleet.running()).toEqual(oldOnes);
    expect((await fleet.mailbox()).notices).toEqual([]);
  });

  it("goes back to what was: who did not run before stays stopped", async () => {
    await using fleet = new Fleet();
    fleet.declareFormat(1);
    expect(await fleet.run(["deploy", "scribe"])).toMatchObject({ exit: 0 });
    fleet.declareFormat(2);
    expect(await fleet.apply("--migration", failing)).toMatchObject({ exit: 4 });
    const notice = await fleet.waiting();
    expect(await fleet.run(["mailbox", "approve", notice.id])).toMatchObject({ exit: 4 });
    const held = await fleet.waiting();
    const back = await fleet.run(["mailbox", "decide", held.id, "go-back"]);
    expect(back, back.stdout + back.stderr).toMatchObject({ exit: 0 });
    expect(await fleet.running()).toEqual(["scribe 1"]);
  });

  it("is left at that where an old build is lost, and the fleet is started with what there is", async () => {
    await using fleet = new Fleet();
    const notice = await fleet.proposed("--migration", failing);
    expect(await fleet.run(["mailbox", "approve", notice.id])).toMatchObject({ exit: 4 });
    fleet.write("agent.mjs", `${fleet.read("agent.mjs")}// edited\n`);
    expect(await fleet.run(["mailbox", "decide", (await fleet.waiting()).id, "go-back"])).toMatchObject({ exit: 4 });
    const stuck = await fleet.waiting();
    expect(stuck).toMatchObject({ about: "moveHeld", choices: ["goOn", "leave"] });
    expect(await fleet.run(["mailbox", "decide", stuck.id, "go-on"])).toMatchObject({ exit: 4 });
    const again = await fleet.waiting();
    expect(again.id).not.toBe(stuck.id);
    const left = await fleet.run(["mailbox", "decide", again.id, "leave"]);
    expect(left, left.stdout + left.stderr).toMatchObject({ exit: 0 });
    expect(left.stdout).toContain("the fleet has the old formats again");
    expect(await fleet.running()).toEqual([]);
    expect((await fleet.mailbox()).notices).toEqual([]);
    fleet.declareFormat(1);
    expect(await fleet.run(["deploy"])).toMatchObject({ exit: 0 });
    expect(await fleet.running()).toEqual(oldOnes);
  });
});

describe("the catalog of a fleet that moves", () => {
  it("is published for the new formats beforehand, and given to the fleet with the new builds alone", async () => {
    await using fleet = new Fleet({ catalog: true });
    fleet.declareFormat(1);
    expect(await fleet.run(["deploy"])).toMatchObject({ exit: 0 });
    fleet.declareFormat(2);
    fleet.write("catalog/prompts/system.md", "Be long.\n");
    expect(await fleet.apply()).toMatchObject({ exit: 4 });
    const notice = await fleet.waiting();
    fleet.declareFormat(1, "old.yaml");
    const restarted = await fleet.run(["restart", "scribe", "--file", "old.yaml"]);
    expect(restarted, restarted.stdout + restarted.stderr).toMatchObject({ exit: 0 });
    await until("it says what it was given", () => fleet.read("said").split("\n").length === 4);
    expect(fleet.read("said")).not.toContain("long");
    const approved = await fleet.run(["mailbox", "approve", notice.id]);
    expect(approved, approved.stdout + approved.stderr).toMatchObject({ exit: 0 });
    expect(
      fleet
        .read("said")
        .split("\n")
        .slice(-3, -1)
        .sort((a, b) => (a < b ? -1 : 1)),
    ).toEqual(["editor 2 Be long.", "scribe 2 Be long."]);
    expect(fleet.formats()).toEqual(["1", "2"]);
  });

  it("comes back with the old builds, though some ran with the new one already", async () => {
    await using fleet = new Fleet({ catalog: true });
    fleet.declareFormat(1);
    expect(await fleet.run(["deploy"])).toMatchObject({ exit: 0 });
    fleet.declareFormat(2);
    fleet.write("catalog/prompts/system.md", "Be long.\n");
    fleet.write("broken", "");
    expect(await fleet.apply()).toMatchObject({ exit: 4 });
    const notice = await fleet.waiting();
    const approved = await fleet.run(["mailbox", "approve", notice.id]);
    expect(approved, approved.stdout + approved.stderr).toMatchObject({ exit: 4 });
    const held = (await fleet.mailbox()).notices.find(({ about }) => about === "moveHeld");
    expect(held?.reason).toContain("editor");
    expect(fleet.read("said")).toContain("scribe 2 Be long.");
    const back = await fleet.run(["mailbox", "decide", held?.id ?? "", "go-back"]);
    expect(back, back.stdout + back.stderr).toMatchObject({ exit: 0 });
    expect(await fleet.running()).toEqual(oldOnes);
    expect(
      fleet
        .read("said")
        .split("\n")
        .slice(-3, -1)
        .sort((a, b) => (a < b ? -1 : 1)),
    ).toEqual(["editor 1 Be brief.", "scribe 1 Be brief."]);
    expect(fleet.formats()).toEqual(["1", "2", "1"]);
    // A fresh start of the old build has what the fleet was given.
    await fleet.run(["stop", "scribe", "--purge"]);
    fleet.declareFormat(1);
    expect(await fleet.run(["deploy", "scribe"])).toMatchObject({ exit: 0 });
    await until("it says what it was given", () => fleet.read("said").trimEnd().endsWith("\nscribe 1 Be brief."));
  });
});
