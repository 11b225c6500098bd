import fc from "fast-check";
import { expect, it } from "vitest";
import { openMailbox } from "../mailbox/mailbox.ts";
import { isUndecided, type Notice } from "../mailbox/notice.ts";
import { Mortal } from "../ports/memory-documents.fixture.ts";
import type { MoveHands } from "../ports/move-hands.ts";
import { carryOutMove } from "./carry-out-move.ts";
import { readGate, writeGate } from "./gate-documents.ts";
import { MemoryFleet } from "./memory-fleet.fixture.ts";
import { hasEnded, readStoredMove } from "./move-documents.ts";
import { logTarget, wireTarget } from "./moves.fixture.ts";

const request = { fleet: "writers", deadlineMs: 60_000 };
const doing = ["clear", "stop", "look", "switch", "migrate", "start"] as const;

/** What a person does, and what fails meanwhile. */
type Act =
  | { readonly kind: "choose"; readonly which: number }
  | { readonly kind: "fail"; readonly what: (typeof doing)[number]; readonly times: number }
  | { readonly kind: "killed"; readonly at: number; readonly after: boolean }
  | { readonly kind: "otherMover" };

const acts: fc.Arbitrary<Act> = fc.oneof(
  { weight: 6, arbitrary: fc.nat(3).map((which): Act => ({ kind: "choose", which })) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("fail" as const),
      what: fc.constantFrom(...doing),
      times: fc.constantFrom(1, 1, 2),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("killed" as const), at: fc.nat(60), after: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.constant<Act>({ kind: "otherMover" }) },
);

/** For good: a build whose files are lost, a bundle that is gone, a migration that no one can put right. */
const broken = fc.subarray<keyof MoveHands>(["switch", "migrate", "start"]);

const changes = fc.record({
  to: fc.constantFrom(wireTarget, logTarget),
  migration: fc.constantFrom(null, "node migrate.ts"),
});

async function open(fleet: MemoryFleet): Promise<readonly Notice[]> {
  return (await openMailbox(fleet.documents, fleet.random).list()).notices.filter(isUndecided);
}

async function run(fleet: MemoryFleet, executor: Mortal | null = null): Promise<void> {
  const outcome = carryOutMove(request, fleet.ports(executor));
  await (executor === null ? outcome : Promise.race([outcome, executor.death]));
  fleet.letGo();
}

/** Whatever is held asks, and asks what can be answered. */
async function heldAsks(fleet: MemoryFleet): Promise<void> {
  const move = (await readStoredMove(fleet.documents, "writers"))?.move;
  if (move === undefined) throw new Error("it is there");
  const notices = await open(fleet);
  if (hasEnded(move)) expect(notices).toEqual([]);
  if (move.state.kind !== "held") return;
  expect(notices.length).toBeGreaterThan(0);
  for (const { choices } of notices) expect(choices.length).toBeGreaterThan(0);
}

async function perform(fleet: MemoryFleet, act: Act, forGood: readonly string[]): Promise<void> {
  switch (act.kind) {
    case "choose": {
      const all = (await open(fleet)).flatMap(({ choices }) => choices);
      const choice = all[act.which % Math.max(all.length, 1)];
      if (choice !== undefined) await fleet.decide(choice);
      break;
    }
    case "fail":
      if (!forGood.includes(act.what)) fleet.failing.set(act.what, act.times);
      break;
    case "killed":
      return run(fleet, new Mortal({ at: act.at, after: act.after }));
    case "otherMover": {
      const stored = await readGate(fleet.documents, "writers");
      if (stored === null) throw new Error("it is there");
      const gate = { ...stored.gate, epoch: stored.gate.epoch + 1, mover: "another" };
      await fleet.documents.swap("gate", "writers", stored.revision, writeGate(gate));
      break;
    }
    default:
      act satisfies never;
  }
  return run(fleet);
}

it("from whatever it is held at something is asked, and some of the answers bring it to an end", async () => {
  await fc.assert(
    fc.asyncProperty(changes, broken, fc.array(acts, { maxLength: 14 }), async (change, forGood, all) => {
      const fleet = await new MemoryFleet(change).begin();
      for (const what of forGood) fleet.failing.set(what, Number.POSITIVE_INFINITY);
      await run(fleet);
      for (const act of all) {
        await perform(fleet, act, forGood);
        if (act.kind !== "killed") await heldAsks(fleet);
      }
      // Nothing else fails any more than what fails for good.
      for (const what of doing) if (!forGood.some((one) => one === what)) fleet.failing.delete(what);
      await run(fleet);
      for (let round = 0; round < 12; round += 1) {
        await heldAsks(fleet);
        const offered = (await open(fleet)).flatMap(({ choices }) => choices);
        const choice = (["reject", "goBack", "leave", "goOn"] as const).find((one) => offered.includes(one));
        if (choice === undefined) break;
        await fleet.decide(choice);
        await run(fleet);
      }
      const move = (await readStoredMove(fleet.documents, "writers"))?.move;
      expect(move === undefined ? null : [hasEnded(move), move.state]).toEqual([true, expect.anything()]);
      expect(fleet.faults).toEqual([]);
    }),
    { numRuns: 400 },
  );
});
