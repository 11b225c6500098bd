import fc from "fast-check";
import { expect, it } from "vitest";
import { FleetWorld, logTarget, proposed, wireTarget } from "./moves.fixture.ts";

type Act =
  | { readonly kind: "perform"; readonly fate: "well" | "lost" | "failed" }
  | { readonly kind: "begin"; readonly agent: string; readonly side: "old" | "new" }
  | { readonly kind: "start"; readonly which: number }
  | { readonly kind: "goBack"; readonly across: boolean }
  | { readonly kind: "approve" | "reject" | "goOn" | "deadline" | "kill" | "otherMoves" };

const acts: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constant("perform" as const),
      fate: fc.constantFrom("well", "well", "well", "well", "lost", "failed"),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("begin" as const),
      agent: fc.constantFrom("scribe", "editor", "guest"),
      side: fc.constantFrom("old", "new"),
    }),
  },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant("start" as const), which: fc.nat(4) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("goBack" as const), across: fc.boolean() }) },
  {
    weight: 4,
    arbitrary: fc
      .constantFrom("approve", "approve", "goOn", "goOn", "reject", "deadline", "kill", "otherMoves")
      .map((kind): Act => ({ kind })),
  },
);

const moves = fc
  .record({ to: fc.constantFrom(wireTarget, logTarget), migration: fc.constantFrom(null, "node migrate.ts") })
  .map((changes) => new FleetWorld(proposed(changes)));

function perform(world: FleetWorld, act: Act): void {
  const person = { by: "ada", at: 1 };
  switch (act.kind) {
    case "perform":
      return world.perform(act.fate);
    case "begin":
      return world.begin(act.agent, act.side);
    case "start":
      return world.start(act.which);
    case "approve":
      return world.tell({ kind: "approve", ...person, members: ["editor", "scribe"] });
    case "reject":
    case "goOn":
      return world.tell({ kind: act.kind, ...person });
    case "goBack":
      return world.tell({ kind: "goBack", ...person, acrossNoReturn: act.across });
    case "deadline":
      return world.tell({ kind: "deadline" });
    case "kill":
      return world.kill();
    case "otherMoves":
      world.gate = { ...world.gate, epoch: world.gate.epoch + 1, mover: "another" };
      return undefined;
    default:
      return act satisfies never;
  }
}

it("old and new never live at once, whoever slips, fails or is killed, and nothing happens without an approval", () => {
  fc.assert(
    fc.property(moves, fc.array(acts, { maxLength: 150 }), (world, all) => {
      for (const act of all) perform(world, act);
      expect(world.faults).toEqual([]);
    }),
    { numRuns: 4_000 },
  );
});

it("once nothing fails any more it comes to an end, and everybody runs with the formats of that end", () => {
  fc.assert(
    fc.property(moves, fc.array(acts, { maxLength: 100 }), (world, all) => {
      for (const act of all) if (act.kind !== "otherMoves") perform(world, act);
      perform(world, { kind: "approve" });
      const ends = ["done", "aborted", "rolledBack"];
      for (let round = 0; round < 400 && !ends.includes(world.move.state.kind); round += 1) {
        if (world.move.state.kind === "held") perform(world, { kind: "goOn" });
        world.perform("well");
        for (let step = 0; step < 4; step += 1) world.start(step);
      }
      const { kind } = world.move.state;
      expect(ends).toContain(kind);
      while (world.starters.length > 0) world.start(0);
      const side = kind === "done" ? "new" : "old";
      expect(new Set(world.instances.filter(({ live }) => live).map((one) => one.side))).toEqual(new Set([side]));
      const agents = world.instances.filter(({ live }) => live).map(({ agent }) => agent);
      if (kind === "done") expect(agents).toEqual(expect.arrayContaining(["scribe", "editor"]));
      expect(world.faults).toEqual([]);
    }),
    { numRuns: 1_000 },
  );
});

it("goes back from behind the point of no return only by a decision of its own", () => {
  fc.assert(
    fc.property(fc.array(acts, { maxLength: 120 }), (all) => {
      const world = new FleetWorld(proposed({ to: logTarget, migration: "node migrate.ts" }));
      let crossed = false;
      for (const act of all) {
        const before = world.move.state;
        perform(world, act);
        if (act.kind === "goBack" && act.across) crossed = true;
        const at = before.kind === "held" ? before.at : before;
        const behind = ["switched", "migrated", "starting"].includes(at.kind);
        if (behind && world.move.state.kind === "returning") expect(crossed).toBe(true);
      }
    }),
    { numRuns: 1_000 },
  );
});
