import { describe, expect, it } from "vitest";
import { openMailbox } from "../mailbox/mailbox.ts";
import { isUndecided } from "../mailbox/notice.ts";
import { Mortal } from "../ports/memory-documents.fixture.ts";
import { carryOutMove, type MoveOutcome } from "./carry-out-move.ts";
import { readGate } from "./gate-documents.ts";
import { MemoryFleet } from "./memory-fleet.fixture.ts";
import { noBuild } from "./move.ts";
import { readStoredMove } from "./move-documents.ts";
import { oldTarget, wireTarget } from "./moves.fixture.ts";

const request = { fleet: "writers", deadlineMs: 60_000 };
const forGood = Number.POSITIVE_INFINITY;

function run(fleet: MemoryFleet, executor: Mortal | null = null): Promise<MoveOutcome> {
  return carryOutMove(request, fleet.ports(executor));
}

async function questions(fleet: MemoryFleet): Promise<string[]> {
  const { notices } = await openMailbox(fleet.documents, fleet.random).list();
  return notices.filter(isUndecided).map(({ about }) => about);
}

/** The formats that a start may have. */
async function open(fleet: MemoryFleet): Promise<unknown> {
  return (await readGate(fleet.documents, "writers"))?.gate.open;
}

describe("what can never be done on the way back", () => {
  it.each(["switch", "start"] as const)("such as %s is left, and the fleet can be started again", async (what) => {
    const fleet = await new MemoryFleet({ migration: "node migrate.ts" }).begin();
    await run(fleet);
    await fleet.decide("approve");
    fleet.failing.set("migrate", 1);
    await run(fleet);
    fleet.failing.set(what, forGood);
    await fleet.decide("goBack");
    expect(await run(fleet)).toMatchObject({ kind: "held", notice: { choices: ["goOn", "leave"] } });
    await fleet.decide("goOn");
    expect(await run(fleet)).toMatchObject({ kind: "held" });
    await fleet.decide("leave");
    expect(await run(fleet)).toMatchObject({ kind: "rolledBack" });
    expect([fleet.alive(), await open(fleet), await questions(fleet)]).toEqual([[], oldTarget, []]);
  });

  it("and what came up with the new formats meanwhile is stopped before it is left", async () => {
    const fleet = await new MemoryFleet().begin();
    await run(fleet);
    await fleet.decide("approve");
    fleet.failing.set("start", 1);
    await run(fleet);
    await fleet.decide("goBack");
    fleet.failing.set("start", forGood);
    await run(fleet);
    fleet.instances.push({ agent: "guest", side: "new", attempt: 99, live: true, ending: false });
    await fleet.decide("leave");
    expect(await run(fleet)).toMatchObject({ kind: "rolledBack" });
    expect(fleet.alive()).toEqual([]);
  });
});

it("an executor that is killed leaves no fleet that is held and asks nothing", async () => {
  for (const after of [false, true])
    for (let at = 0; ; at += 1) {
      const fleet = await new MemoryFleet({ migration: "node migrate.ts" }).begin();
      await run(fleet);
      await fleet.decide("approve");
      fleet.failing.set("migrate", 1);
      const executor = new Mortal({ at, after });
      const first = await Promise.race([run(fleet, executor), executor.death]);
      const move = (await readStoredMove(fleet.documents, "writers"))?.move;
      if (move?.state.kind === "held") expect(await questions(fleet)).toEqual(["moveHeld"]);
      if (first !== "killed") break;
      fleet.letGo();
      await run(fleet);
      const now = (await readStoredMove(fleet.documents, "writers"))?.move.state.kind;
      expect([now === "held", await questions(fleet)]).toEqual(now === "held" ? [true, ["moveHeld"]] : [false, []]);
    }
});

describe("a fleet of which nobody runs", () => {
  const members = ["scribe", "editor"].map((agent) => ({ agent, oldBuild: noBuild, newBuild: "b2" }));

  it("gets the new formats, and nobody is started", async () => {
    const fleet = await new MemoryFleet({ members }).begin();
    expect(await run(fleet)).toMatchObject({
      kind: "waiting",
      notice: { reason: expect.stringContaining("nobody of the fleet runs, and nobody is started") },
    });
    await fleet.decide("approve");
    expect(await run(fleet)).toMatchObject({ kind: "done" });
    expect([fleet.alive(), fleet.side, await open(fleet)]).toEqual([[], "new", wireTarget]);
    expect(fleet.states).toEqual(["approved", "quiescing", "stopped", "migrated", "done"]);
  });

  it("stays with the old ones when somebody was started meanwhile, who goes on", async () => {
    const fleet = await new MemoryFleet({ members }).begin();
    await run(fleet);
    await fleet.decide("approve");
    await fleet.starter("scribe", "old").finish();
    expect(await run(fleet)).toMatchObject({
      kind: "aborted",
      move: { state: { why: "an agent of the fleet was started meanwhile" } },
    });
    expect([fleet.alive(), fleet.side, await open(fleet)]).toEqual([["scribe old"], "old", oldTarget]);
    expect([await questions(fleet), fleet.faults]).toEqual([[], []]);
  });

  it("goes back without starting anybody", async () => {
    const fleet = await new MemoryFleet({ members, migration: "node migrate.ts" }).begin();
    await run(fleet);
    await fleet.decide("approve");
    fleet.failing.set("migrate", 1);
    await run(fleet);
    await fleet.decide("goBack");
    expect(await run(fleet)).toMatchObject({ kind: "rolledBack" });
    expect([fleet.alive(), await open(fleet)]).toEqual([[], oldTarget]);
  });
});
