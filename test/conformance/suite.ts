/** One suite for every substrate: each row of the table, the promises, the races and the deaths. */
import type { ObservedInstance } from "@moorage/core";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Behaviour, Bench, Fixture, Foreign, Planted } from "./bench.ts";
import { contract } from "./contract.ts";

/** Milliseconds for many callers on one machine. */
const crowdMs = 300_000;

export function conformance(fixture: Fixture): void {
  let bench: Bench;

  beforeEach(async () => {
    bench = await fixture.make();
  });

  afterEach(async () => {
    await bench.end();
  });

  const own = async (): Promise<ObservedInstance | null> => {
    const reading = await bench.substrate.readInstances(bench.identity);
    if (reading.kind !== "read") throw new Error(JSON.stringify(reading));
    return reading.instances.find(({ name }) => name === bench.name) ?? null;
  };
  const present = async (): Promise<ObservedInstance> => {
    const instance = await own();
    if (instance === null) throw new Error("nothing is there");
    return instance;
  };

  /** A test of something that not every substrate can have: where it cannot, the reason is the test's name. */
  const testWith = (needed: Planted | Foreign | Behaviour, name: string, body: () => Promise<void>): void => {
    const reason = fixture.exceptions[needed];
    if (reason === undefined) test(name, body);
    else test.skip(`${name} (${reason})`, body);
  };

  describe(`the contract of the port, on ${fixture.name}`, () => contract(() => bench));

  describe(`the table, on ${fixture.name}`, () => {
    test("1 nothing: creates", async () => {
      expect(await bench.start()).toMatchObject({ outcome: "started", intent: "current", agentId: bench.name });
      expect(await bench.alive()).toBe(1);
    });

    testWith("ending", "2 marked for deletion: waits until it is gone, although it still runs", async () => {
      await bench.plant("ending");
      const before = await present();
      expect(before).toMatchObject({ evidence: { container: { state: "running" } } });
      expect(before.deletion).not.toBeNull();
      expect(await bench.start({ deadlineMs: 0 })).toMatchObject({ outcome: "notConfirmed" });
      expect((await present()).fence.uid).toBe(before.fence.uid);
      expect(await bench.start()).toMatchObject({ outcome: "started" });
      expect((await present()).fence.uid).not.toBe(before.fence.uid);
      expect(await bench.alive()).toBe(1);
    });

    test("3 started: changes nothing at all, whatever the declaration says (P2)", async () => {
      await bench.plant("running");
      const before = await present();
      expect(await bench.start()).toMatchObject({ outcome: "alreadyRunning", intent: "current", requests: 1 });
      expect(await bench.start({ variant: 1 })).toMatchObject({
        outcome: "alreadyRunning",
        intent: "diverged",
        requests: 1,
      });
      expect(await present()).toEqual(before);
    });

    test("4 terminated: makes way", async () => {
      await bench.plant("terminated");
      const before = await present();
      expect(await bench.start()).toMatchObject({ outcome: "started" });
      expect((await present()).fence.uid).not.toBe(before.fence.uid);
    });

    for (const broken of ["abandoned", "secretMissing", "invalidImage"] as const) {
      testWith(broken, `5 provably broken, ${broken}: makes way`, async () => {
        await bench.plant(broken);
        const before = await present();
        expect(await bench.start()).toMatchObject({ outcome: "started" });
        expect((await present()).fence.uid).not.toBe(before.fence.uid);
      });
    }

    testWith("pullFailing", "6 pull failing: reported at once, not deleted, and a stop is the way out", async () => {
      await bench.plant("pullFailing");
      const before = await present();
      for (const variant of [0, 1]) expect(await bench.start({ variant })).toMatchObject({ outcome: "reported" });
      expect((await present()).fence.uid).toBe(before.fence.uid);
      expect(await bench.stop()).toMatchObject({ outcome: "stopped" });
      expect(await bench.start({ variant: 1 })).toMatchObject({ outcome: "started" });
    });

    testWith("interrupted", "7 interrupted: only observed, also when the intent diverges", async () => {
      await bench.plant("interrupted");
      const before = await present();
      expect(await bench.start({ variant: 1, deadlineMs: 1_000 })).toMatchObject({ outcome: "notConfirmed" });
      expect((await present()).fence.uid).toBe(before.fence.uid);
    });

    testWith("recoverable", "7 recoverable with the same intent: only observed", async () => {
      await bench.plant("recoverable");
      const before = await present();
      expect(await bench.start({ deadlineMs: 300 })).toMatchObject({ outcome: "notConfirmed", intent: "current" });
      expect((await present()).fence.uid).toBe(before.fence.uid);
    });

    testWith("recoverable", "8 recoverable with another intent: makes way", async () => {
      await bench.plant("recoverable");
      const before = await present();
      expect(await bench.start({ variant: 1 })).toMatchObject({ outcome: "started", intent: "current" });
      expect((await present()).fence.uid).not.toBe(before.fence.uid);
      expect(await bench.alive()).toBe(1);
    });

    testWith("unjudgeable", "what cannot be judged: told as that, nothing ended and nothing created", async () => {
      await bench.plant("unjudgeable");
      const before = await present();
      for (const variant of [0, 1])
        expect(await bench.start({ variant })).toMatchObject({
          outcome: "reported",
          condition: { code: "cannotTell" },
        });
      expect(await bench.stop()).toMatchObject({ outcome: "reported", condition: { code: "cannotTell" } });
      expect(await present()).toEqual(before);
    });
  });

  describe(`foreign objects, on ${fixture.name}`, () => {
    for (const what of ["ourName", "halfOfOurMarks"] as const) {
      testWith(what, `${what}: a start ends with an error that names it, and nothing touches it`, async () => {
        await bench.plantForeign(what);
        const before = await bench.substrate.readName(bench.name);
        expect(await bench.start()).toMatchObject({ outcome: "refused", condition: { code: "foreignObject" } });
        expect(await bench.stop()).toMatchObject({ outcome: "nothing" });
        expect(await bench.substrate.readName(bench.name)).toEqual(before);
        const listing = await bench.substrate.listSecrets(bench.identity);
        expect(listing).toMatchObject({ kind: "read", secrets: [] });
      });
    }

    testWith("ourLabel", "ourLabel: is not in the way, and nothing touches it", async () => {
      await bench.plantForeign("ourLabel");
      expect(await bench.start()).toMatchObject({ outcome: "started" });
      expect(await bench.stop()).toMatchObject({ outcome: "stopped" });
      const reading = await bench.substrate.readInstances(bench.identity);
      expect(reading).toMatchObject({ kind: "read", instances: [{ deletion: null }] });
    });
  });

  describe(`the promises, on ${fixture.name}`, () => {
    test(
      "P1, P6: many starts at once converge on one, and the losers leave nothing behind",
      async () => {
        const outcomes = await bench.startAll(Array.from({ length: fixture.starts }, () => ({})));
        const kinds = outcomes.map(({ outcome }) => outcome);
        expect(kinds.filter((outcome) => outcome === "started")).toHaveLength(1);
        expect(kinds.filter((outcome) => outcome === "alreadyRunning")).toHaveLength(fixture.starts - 1);
        expect(await bench.alive()).toBe(1);
        const listing = await bench.substrate.listSecrets(bench.identity);
        expect(listing.kind === "read" ? listing.secrets.map(({ name }) => name) : []).toEqual([
          `${bench.name}-${(await present()).attempt ?? ""}`,
        ]);
      },
      crowdMs,
    );

    test("P1, P6: two declarations that race give one of the two, and nothing is replaced for ever", async () => {
      const outcomes = await bench.startAll(Array.from({ length: 8 }, (_, index) => ({ variant: index % 2 })));
      expect(outcomes.filter(({ outcome }) => outcome === "started").length).toBeLessThanOrEqual(1);
      for (const { outcome } of outcomes) expect(["started", "alreadyRunning", "worldMoved"]).toContain(outcome);
      await bench.until("one of them runs", async () => (await own())?.evidence.container.state === "running");
      expect(await bench.alive()).toBe(1);
    });

    test("P3: a fence that is not of the last version is refused, and nothing is removed", async () => {
      await bench.plant("running");
      const { fence } = await present();
      const stale = [
        { ...fence, resourceVersion: `${fence.resourceVersion}0` },
        { ...fence, uid: `${fence.uid}0` },
      ];
      for (const other of stale)
        expect(await bench.substrate.deleteInstance(bench.name, other)).toEqual({ kind: "conflict" });
      expect((await present()).deletion).toBeNull();
      expect(await bench.alive()).toBe(1);
    });

    testWith("recoverable", "P4: waiting is no ground, however often it is asked", async () => {
      await bench.plant("recoverable");
      const before = await present();
      for (let turn = 0; turn < 5; turn += 1) await bench.start({ deadlineMs: 50 });
      expect((await present()).fence.uid).toBe(before.fence.uid);
    });

    test("P5: an agent that ends at once is told as that, and is not started again in the same call", async () => {
      const outcome = await bench.start({ behaviour: "endsAtOnce", settleMs: 2_000 });
      expect(outcome).toMatchObject({ outcome: "reported", condition: { code: "agentEnded" } });
      expect(outcome.actions.filter(({ action }) => action === "create")).toHaveLength(1);
      expect(await bench.alive()).toBe(0);
    });

    test("P7: the value of a secret is in no mark, in no status and in no answer", async () => {
      const outcome = await bench.start();
      const reading = await bench.substrate.readInstances(bench.identity);
      const listing = await bench.substrate.listSecrets(bench.identity);
      expect(JSON.stringify([outcome, reading, listing])).not.toContain(bench.secretValue);
    });

    testWith(
      "idles",
      "P12: an agent with an idle limit ends by itself, gracefully, and stays ended until it is started",
      async () => {
        await bench.start({ behaviour: "idles" });
        await bench.until("it has ended", async () => (await own())?.evidence.container.state === "terminated");
        expect(await present()).toMatchObject({ evidence: { container: { ending: { reason: "idle" } } } });
        expect(await bench.alive()).toBe(0);
        expect(await bench.start()).toMatchObject({ outcome: "started" });
      },
    );
  });

  describe(`a stop, on ${fixture.name}`, () => {
    test("ends what runs and says so when nothing is left; a second one finds nothing", async () => {
      await bench.plant("running");
      expect(await bench.stop()).toMatchObject({ outcome: "stopped" });
      expect(await bench.alive()).toBe(0);
      expect(await own()).toBeNull();
      expect(await bench.stop()).toMatchObject({ outcome: "nothing" });
      const listing = await bench.substrate.listSecrets(bench.identity);
      expect(listing).toMatchObject({ kind: "read", secrets: [] });
    });

    test("of a running agent whose Secret was removed behind our back: it ran on, and ends", async () => {
      await bench.plant("running");
      await bench.removeSecret();
      expect(await bench.start()).toMatchObject({ outcome: "alreadyRunning" });
      expect(await bench.stop()).toMatchObject({ outcome: "stopped" });
      expect(await bench.alive()).toBe(0);
    });
  });

  describe(`a caller that dies, on ${fixture.name}`, () => {
    for (const after of [false, true]) {
      test(`at any request of its start, ${after ? "after" : "before"} its effect: the next start converges`, async () => {
        for (let request = 0; ; request += 1) {
          const died = await bench.startAndDie({ request, after });
          expect(["started", "alreadyRunning"]).toContain((await bench.start()).outcome);
          expect(await bench.alive()).toBe(1);
          expect(await bench.stop()).toMatchObject({ outcome: "stopped" });
          expect(await bench.alive()).toBe(0);
          if (!died) break;
          expect(request).toBeLessThan(20);
        }
      });

      test(`at any request of its stop, ${after ? "after" : "before"} its effect: the next stop finishes it`, async () => {
        for (let request = 0; ; request += 1) {
          await bench.start();
          const died = await bench.stopAndDie({ request, after });
          expect(["stopped", "nothing"]).toContain((await bench.stop()).outcome);
          expect(await bench.alive()).toBe(0);
          expect(await own()).toBeNull();
          if (!died) break;
          expect(request).toBeLessThan(20);
        }
      });
    }
  });
}
