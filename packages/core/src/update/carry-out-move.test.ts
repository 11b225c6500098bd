import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openMailbox } from "../mailbox/mailbox.ts";
import { isUndecided } from "../mailbox/notice.ts";
import { createAbort } from "../ports/abort.ts";
import { Mortal } from "../ports/memory-documents.fixture.ts";
import type { MoveHands } from "../ports/move-hands.ts";
import { carryOutMove, type MoveOutcome } from "./carry-out-move.ts";
import { MemoryFleet, type Starter } from "./memory-fleet.fixture.ts";
import type { Proposal } from "./move.ts";
import { hasEnded, putForward, readStoredMove, swapMove, turnBack } from "./move-documents.ts";
import { logTarget, wireTarget } from "./moves.fixture.ts";

const request = { fleet: "writers", deadlineMs: 60_000 };
const person = { by: "ada", at: 5 };
const migrating = { to: logTarget, migration: "node migrate.ts" };

async function fleetOf(changes: Partial<Proposal> = {}): Promise<MemoryFleet> {
  return new MemoryFleet(changes).begin();
}

async function approved(changes: Partial<Proposal> = {}): Promise<MemoryFleet> {
  const fleet = await fleetOf(changes);
  expect((await run(fleet)).kind).toBe("waiting");
  expect(await fleet.decide("approve")).toBe("decided");
  return fleet;
}

function run(fleet: MemoryFleet, executor: Mortal | null = null): Promise<MoveOutcome> {
  return carryOutMove(request, fleet.ports(executor));
}

async function questions(fleet: MemoryFleet): Promise<string[]> {
  const { notices } = await openMailbox(fleet.documents, fleet.random).list();
  return notices.filter(isUndecided).map(({ about }) => about);
}

const all = (side: string): string[] => [`editor ${side}`, `scribe ${side}`];

describe("a cold move", () => {
  it("waits for its approval, and nothing is touched before", async () => {
    const fleet = await fleetOf();
    expect(await run(fleet)).toMatchObject({ kind: "waiting", notice: { about: "coldMove" } });
    expect(await run(fleet)).toMatchObject({ kind: "waiting" });
    expect([fleet.alive(), fleet.side, await questions(fleet)]).toEqual([all("old"), "old", ["coldMove"]]);
    expect(await carryOutMove({ ...request, fleet: "readers" }, fleet.ports())).toEqual({ kind: "nothing" });
  });

  it("stops all, switches, migrates and starts all, and asks nothing any more", async () => {
    const fleet = await approved(migrating);
    expect((await run(fleet)).kind).toBe("done");
    expect([fleet.alive(), fleet.side, fleet.migrations]).toEqual([all("new"), "new", 1]);
    expect(fleet.states).toEqual(["approved", "quiescing", "stopped", "switched", "migrated", "starting", "done"]);
    expect([await questions(fleet), fleet.faults]).toEqual([[], []]);
    expect((await run(fleet)).kind).toBe("done");
  });

  it("is rejected, and everything is as it was", async () => {
    const fleet = await fleetOf();
    await run(fleet);
    await fleet.decide("reject");
    expect((await run(fleet)).kind).toBe("aborted");
    expect([fleet.alive(), await questions(fleet)]).toEqual([all("old"), []]);
  });

  it("approved for other members than the fleet has now is not carried out", async () => {
    const fleet = await approved();
    fleet.members = async () => ["scribe", "editor", "critic"];
    expect(await run(fleet)).toMatchObject({
      kind: "aborted",
      move: { state: { why: expect.stringContaining("members") } },
    });
    expect(fleet.alive()).toEqual(all("old"));
  });

  it("killed at any request is taken up by the next call, and comes to the same end", async () => {
    for (const after of [false, true])
      for (let at = 0; ; at += 1) {
        const fleet = await approved(migrating);
        const executor = new Mortal({ at, after });
        const first = await Promise.race([run(fleet, executor), executor.death]);
        if (first !== "killed") {
          expect([first.kind, at > 30]).toEqual(["done", true]);
          break;
        }
        fleet.letGo();
        expect((await run(fleet)).kind).toBe("done");
        expect([fleet.alive(), fleet.side, fleet.faults, await questions(fleet)]).toEqual([all("new"), "new", [], []]);
      }
  });

  it("killed at any request on its way back is taken up as well", async () => {
    for (const after of [false, true])
      for (let at = 0; ; at += 1) {
        const fleet = await approved({ migration: "node migrate.ts" });
        fleet.failing.set("migrate", 1);
        expect((await run(fleet)).kind).toBe("held");
        await fleet.decide("goBack");
        const executor = new Mortal({ at, after });
        const first = await Promise.race([run(fleet, executor), executor.death]);
        if (first !== "killed") break;
        fleet.letGo();
        expect((await run(fleet)).kind).toBe("rolledBack");
        expect([fleet.alive(), fleet.side, fleet.faults, await questions(fleet)]).toEqual([all("old"), "old", [], []]);
      }
  });

  it("interrupted stays where it is, and the next call goes on", async () => {
    const fleet = await approved();
    const abort = createAbort();
    abort.abort();
    expect(await carryOutMove(request, { ...fleet.ports(), signal: abort.signal })).toMatchObject({
      kind: "interrupted",
    });
    expect((await run(fleet)).kind).toBe("done");
  });
});

describe("two executors", () => {
  it("at once: one goes on, the other is told", async () => {
    const fleet = await approved();
    const [one, other] = await Promise.all([run(fleet), run(fleet)]);
    expect([one.kind, other.kind].sort()).toEqual(["busy", "done"]);
    expect(fleet.faults).toEqual([]);
  });

  it("that nothing keeps apart: one of them ends it, and whoever comes late does nothing", async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        const fleet = await approved(migrating);
        const free = async (): Promise<() => Promise<void>> => async () => undefined;
        const both = [1, 2].map(() => {
          const ports = fleet.ports(new Mortal());
          const hands: MoveHands = new Proxy(ports.hands, {
            get: (target, name) => (name === "hold" ? free : (Reflect.get(target, name) as unknown)),
          });
          return carryOutMove(request, { ...ports, hands, documents: slow(ports.documents, scheduler) });
        });
        const [one, other] = await scheduler.waitFor(Promise.all(both));
        expect([one, other]).toContainEqual(expect.objectContaining({ kind: "done" }));
        for (const outcome of [one, other]) expect(["done", "takenOver"]).toContain(outcome?.kind);
        expect([fleet.alive(), fleet.faults]).toEqual([all("new"), []]);
        const gate = JSON.parse((await fleet.documents.read("gate", "writers"))?.text ?? "") as { open: unknown };
        expect(gate.open).toEqual(logTarget);
      }),
      { numRuns: 100 },
    );
  });

  it("one that was overtaken does nothing more", async () => {
    const fleet = await approved();
    let cleared = 0;
    const stop = async (): Promise<void> => {
      fleet.letGo();
      expect((await run(fleet)).kind).toBe("done");
    };
    const clear = async (): Promise<void> => {
      cleared += 1;
    };
    const hands: MoveHands = new Proxy(new Mortal().over<MoveHands>(fleet), {
      get: (target, name) => ({ stop, clear })[String(name)] ?? (Reflect.get(target, name) as unknown),
    });
    expect((await carryOutMove(request, { ...fleet.ports(), hands })).kind).toBe("takenOver");
    expect([cleared, fleet.alive()]).toEqual([0, all("new")]);
  });

  it("a late close finds that the move has gone on, and closes nothing", async () => {
    const fleet = await approved();
    const { documents } = fleet;
    let done = false;
    const late = new Proxy(documents, {
      get: (target, name) => {
        const operation = Reflect.get(target, name) as (...given: unknown[]) => Promise<unknown>;
        return async (...given: unknown[]): Promise<unknown> => {
          if (name === "swap" && given[0] === "gate" && !done) {
            done = true;
            fleet.letGo();
            expect((await run(fleet)).kind).toBe("done");
          }
          return Reflect.apply(operation, target, given);
        };
      },
    });
    expect(await carryOutMove(request, { ...fleet.ports(), documents: late })).toMatchObject({
      kind: "takenOver",
      move: { state: { kind: "done" } },
    });
    const starter = fleet.starter("guest", "new");
    await starter.finish();
    expect(starter.refused).toBeNull();
  });
});

describe("a start", () => {
  it("at every moment of a move never lets both formats live", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            agent: fc.constantFrom("scribe", "guest"),
            side: fc.constantFrom("old" as const, "new" as const),
          }),
          {
            minLength: 1,
            maxLength: 3,
          },
        ),
        fc.array(fc.tuple(fc.nat(60), fc.nat(2)), { maxLength: 12 }),
        fc.boolean(),
        async (starts, moments, fails) => {
          const fleet = await approved({ ...migrating, to: wireTarget });
          if (fails) fleet.failing.set("migrate", 1);
          const starters: Starter[] = starts.map(({ agent, side }) => fleet.starter(agent, side));
          let at = 0;
          const documents = new Proxy(fleet.documents, {
            get: (target, name) => {
              const operation = Reflect.get(target, name) as (...given: unknown[]) => Promise<unknown>;
              return async (...given: unknown[]): Promise<unknown> => {
                for (const [moment, which] of moments)
                  if (moment === at) await starters[which % starters.length]?.step();
                at += 1;
                return Reflect.apply(operation, target, given);
              };
            },
          });
          let outcome = await carryOutMove(request, { ...fleet.ports(), documents });
          if (outcome.kind === "held") {
            await fleet.decide("goBack");
            outcome = await carryOutMove(request, { ...fleet.ports(), documents });
          }
          for (const starter of starters) await starter.finish();
          expect(fleet.faults).toEqual([]);
          expect(outcome.kind).toBe(fails ? "rolledBack" : "done");
          expect(fleet.alive().filter((one) => !one.startsWith("guest"))).toEqual(all(fails ? "old" : "new"));
        },
      ),
      { numRuns: 400 },
    );
  });
});

describe("held", () => {
  it("when something does not end in time, and says what; it asks anew each time", async () => {
    const fleet = await approved();
    fleet.stubborn.add("scribe");
    const held = await run(fleet);
    expect(held).toMatchObject({
      kind: "held",
      notice: { about: "moveHeld", evidence: { why: expect.stringContaining("scribe lives") } },
    });
    expect(await run(fleet)).toMatchObject({ kind: "held" });
    await fleet.decide("goOn");
    const again = await run(fleet);
    expect([again.kind, await questions(fleet)]).toEqual(["held", ["moveHeld"]]);
    fleet.stubborn.clear();
    await fleet.decide("goOn");
    expect((await run(fleet)).kind).toBe("done");
    // Each word is used once, although both answer the same question.
    const decisions = (await readStoredMove(fleet.documents, "writers"))?.move.decisions;
    expect(decisions?.map(({ choice }) => choice)).toEqual(["approve", "goOn", "goOn"]);
  });

  it.each(["clear", "stop", "look", "switch", "migrate", "start"] as const)(
    "when %s fails, with its words",
    async (what) => {
      const fleet = await approved(migrating);
      fleet.failing.set(what, 1);
      const held = await run(fleet);
      expect(held).toMatchObject({
        kind: "held",
        notice: { reason: expect.stringContaining(`${what} exits with code 1`) },
      });
      await fleet.decide("goOn");
      expect((await run(fleet)).kind).toBe("done");
      expect([fleet.alive(), fleet.faults]).toEqual([all("new"), []]);
    },
  );

  it("on its way back it does not turn round", async () => {
    const fleet = await approved({ migration: "node migrate.ts" });
    fleet.failing.set("migrate", 1);
    await run(fleet);
    await fleet.decide("goBack");
    fleet.failing.set("start", 1);
    expect(await run(fleet)).toMatchObject({ kind: "held", notice: { choices: ["goOn", "leave"] } });
    await fleet.decide("goOn");
    expect((await run(fleet)).kind).toBe("rolledBack");
  });

  it("behind the point of no return wants a decision of its own to go back", async () => {
    const fleet = await approved(migrating);
    fleet.failing.set("migrate", 1);
    await run(fleet);
    await fleet.decide("goBack");
    expect(await run(fleet)).toMatchObject({ kind: "held", notice: { about: "pointOfNoReturn" } });
    expect(await run(fleet)).toMatchObject({ kind: "held", notice: { about: "pointOfNoReturn" } });
    expect(fleet.alive()).toEqual([]);
    await fleet.decide("goBack");
    expect((await run(fleet)).kind).toBe("rolledBack");
    expect([fleet.alive(), await questions(fleet)]).toEqual([all("old"), []]);
  });

  it("and a person who has changed their mind goes on", async () => {
    const fleet = await approved(migrating);
    fleet.failing.set("migrate", 1);
    await run(fleet);
    await fleet.decide("goBack");
    await run(fleet);
    await fleet.decide("goOn");
    expect((await run(fleet)).kind).toBe("done");
    expect([fleet.alive(), fleet.migrations]).toEqual([all("new"), 1]);
  });
});

describe("documents", () => {
  it("hold one move a fleet, from the epoch and the formats that it has", async () => {
    const fleet = await fleetOf();
    const other = { ...fleet.proposal, id: "m2" };
    expect(await putForward(fleet.documents, other)).toMatchObject({ kind: "underWay", move: { id: "m1" } });
    expect(await putForward(fleet.documents, fleet.proposal)).toMatchObject({ kind: "proposed", move: { id: "m1" } });
    await fleet.decide("reject").catch(() => undefined);
    expect(await turnBack(fleet.documents, "writers", person)).toMatchObject({ kind: "turned" });
    expect(await putForward(fleet.documents, other)).toMatchObject({ kind: "proposed", move: { id: "m2", epoch: 1 } });
    expect(await putForward(fleet.documents, { ...other, id: "m3", fleet: "readers", bundle: null })).toEqual({
      kind: "bundleMissing",
    });
    await turnBack(fleet.documents, "writers", person);
    const wrong = { ...other, id: "m4", from: wireTarget, to: logTarget, bundle: "none" } as const;
    expect((await putForward(fleet.documents, wrong)).kind).toBe("otherFormats");
  });

  it("say that somebody was faster", async () => {
    const fleet = await fleetOf();
    const stored = await readStoredMove(fleet.documents, "writers");
    if (stored === null) throw new Error("it is there");
    expect(hasEnded(stored.move)).toBe(false);
    expect(await swapMove(fleet.documents, null, stored.move)).toBeNull();
    expect(await turnBack(fleet.documents, "readers", person)).toEqual({ kind: "nothing", move: null });
  });

  it("turn a move back that is under way, and its executor goes on from there", async () => {
    const fleet = await approved();
    const ports = fleet.ports();
    const { hands } = ports;
    const stop = hands.stop.bind(hands);
    hands.stop = async (agents) => {
      await turnBack(fleet.documents, "writers", person);
      await stop(agents);
    };
    expect((await carryOutMove(request, ports)).kind).toBe("aborted");
    expect([fleet.alive(), fleet.faults]).toEqual([all("old"), []]);
  });

  it("ask before a move is turned back behind the point of no return", async () => {
    const fleet = await approved(migrating);
    fleet.failing.set("start", 1);
    await run(fleet);
    const asked = await turnBack(fleet.documents, "writers", person);
    expect(asked).toMatchObject({ kind: "noReturn", draft: { about: "pointOfNoReturn" } });
    if (asked.kind === "noReturn") await openMailbox(fleet.documents, fleet.random).raise(asked.draft, 1_000);
    expect(await questions(fleet)).toEqual(["moveHeld", "pointOfNoReturn"]);
    await fleet.decide("goOn");
    expect((await run(fleet)).kind).toBe("done");
    expect(await questions(fleet)).toEqual([]);
  });
});

/** Each request takes effect when the scheduler says so. */
function slow<T extends object>(ports: T, scheduler: fc.Scheduler): T {
  return new Proxy(ports, {
    get: (target, name) => {
      const operation = Reflect.get(target, name) as (...given: unknown[]) => unknown;
      return async (...given: unknown[]): Promise<unknown> => {
        await scheduler.schedule(Promise.resolve(), String(name));
        return Reflect.apply(operation, target, given);
      };
    },
  });
}
