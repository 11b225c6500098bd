/** A cold move on one machine: nobody ever sees two formats at once, whoever is killed, slips in or changes their mind. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { until } from "../until.ts";
import { Fleet } from "./fleet.ts";

const newOnes = ["scribe 2", "editor 2"];
const oldOnes = ["scribe 1", "editor 1"];
const failing = "echo half of it is done; exit 3";

describe("a cold move", () => {
  it("says beforehand what moves, who stops and where nothing leads back, and is carried out once approved", async () => {
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
    await using fleet = new Fleet({ catalog: true });
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

  it("lets no start slip in: neither an old build nor a new one, while the fleet is closed", async () => {
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

describe("an executor that is killed", () => {
  it.each(["approved", "quiescing", "stopped", "switched", "migrated", "starting"])(
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

/** Kills the call with SIGKILL as soon as a line shows that state. */
async function killAt(fleet: Fleet, args: readonly string[], words: string, begins = ""): Promise<void> {
  const { child, done } = fleet.start(args);
  let told = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    told += chunk.toString();
    if (told.split("\n").some((line) => line.startsWith(begins) && line.includes(words))) child.kill("SIGKILL");
  });
  const { signal, stdout, stderr } = await done;
  expect(signal, `${words}: it was not killed\n${stdout}${stderr}`).toBe("SIGKILL");
}
