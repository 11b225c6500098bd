import { describe, expect, it } from "vitest";
import { runtimeTargetOf } from "./fingerprint.ts";
import { build } from "./fingerprints.fixture.ts";
import { bundleOf, Driver, runOf, settled } from "./life.fixture.ts";
import { newLife } from "./life.ts";

const a = bundleOf(1, "a");
const b = bundleOf(2, "b");
const c = bundleOf(3, "c");
const crash = { kind: "faltered", reason: "crash", detail: "exit code 1" } as const;

describe("a bundle that works", () => {
  it("goes through every state, each with what is to be done", () => {
    const one = settled();
    const states: (string | undefined)[] = [];
    const todo = (): void => void states.push(one.life.next?.state ?? one.life.use.kind, one.effects.at(-1)?.kind);
    one.offer(b);
    todo();
    one.tell({ kind: "fetched", digest: "d2" });
    todo();
    one.check(b);
    todo();
    one.tell({ kind: "staged", digest: "d2" });
    todo();
    one.tell({ kind: "boundary" });
    todo();
    one.tell({ kind: "switched", digest: "d2" });
    todo();
    one.prove(b);
    todo();
    expect(states.join(" ")).toBe(
      "offered fetch fetched check verified stage staged awaitBoundary staged switch trial bake confirmed answer",
    );
    expect(one.life.use).toEqual({ kind: "confirmed", bundle: b, proof: "proven" });
    expect(one.did("answer")).toMatchObject([{ verdict: "ack", nonce: "n2", digest: "d2", inUse: b.catalogHash }]);
  });

  it("is told to the agent only when it is live", () => {
    const one = settled().stage(b).tell({ kind: "boundary" });
    expect(one.life.use).toMatchObject({ kind: "confirmed", bundle: a });
    expect(one.did("announce")).toEqual([]);
    expect(one.tell({ kind: "switched", digest: "d2" }).did("announce")).toHaveLength(1);
  });

  it("never switches but at a boundary", () => {
    const one = settled().stage(b);
    expect(one.tell({ kind: "switched", digest: "d2" }).life.use).toMatchObject({ bundle: a });
    expect(one.tell({ kind: "turnCompleted", catalogHash: b.catalogHash }).life.next?.state).toBe("staged");
  });
});

describe("when a trial ends well", () => {
  it("the socket wants turns and the bake time", () => {
    const one = settled(runOf({ turns: 2 })).tryOut(b);
    one.tell({ kind: "baked", digest: "d2" }).tell({ kind: "turnCompleted", catalogHash: b.catalogHash });
    expect(one.life.use.kind).toBe("trial");
    expect(one.tell({ kind: "turnCompleted", catalogHash: b.catalogHash }).life.use.kind).toBe("confirmed");
    const other = settled().tryOut(b).tell({ kind: "turnCompleted", catalogHash: b.catalogHash });
    expect(other.life.use.kind).toBe("trial");
    expect(other.tell({ kind: "baked", digest: "d2" }).life.use.kind).toBe("confirmed");
  });

  it("a process that lived with another bundle proves nothing", () => {
    const one = settled().tryOut(b).tell({ kind: "turnCompleted", catalogHash: b.catalogHash });
    expect(one.tell({ kind: "baked", digest: "d1" }).life.use.kind).toBe("trial");
    const files = settled(runOf({ takesPart: "files", check: true }))
      .tryOut(b)
      .tell({ kind: "baked", digest: "d2" });
    expect(files.tell({ kind: "checkHeld", digest: "d1" }).life.use.kind).toBe("trial");
  });

  it("a turn that began with another catalog proves nothing", () => {
    const one = settled().tryOut(b).tell({ kind: "baked", digest: "d2" });
    expect(one.tell({ kind: "turnCompleted", catalogHash: a.catalogHash }).life.use.kind).toBe("trial");
  });

  it("files and a signal want the bake time and the declared check", () => {
    const one = settled(runOf({ takesPart: "files", check: true }))
      .tryOut(b)
      .tell({ kind: "baked", digest: "d2" });
    expect(one.life.use.kind).toBe("trial");
    expect(one.tell({ kind: "checkHeld", digest: "d2" }).life.use).toMatchObject({
      kind: "confirmed",
      proof: "proven",
    });
    const unchecked = settled(runOf({ takesPart: "files" }))
      .tryOut(b)
      .tell({ kind: "baked", digest: "d2" });
    expect(unchecked.life.use.kind).toBe("confirmed");
  });

  it("who takes no part is tried at a start, and stays unproven", () => {
    const one = settled(runOf({ takesPart: "nothing" })).stage(b);
    expect(one.did("awaitBoundary")).toEqual([]);
    expect(one.tell({ kind: "boundary" }).life.next).toMatchObject({ state: "staged", switching: false });
    expect(one.start().did("launch")).toEqual([{ kind: "launch", bundle: b }]);
    expect(one.life.use.kind).toBe("trial");
    expect(one.tell({ kind: "baked", digest: "d2" }).life.use).toEqual({
      kind: "confirmed",
      bundle: b,
      proof: "unproven",
    });
  });

  it("what takes effect at a start waits for one", () => {
    const one = settled().stage(b, "start");
    expect(one.tell({ kind: "boundary" }).life).toMatchObject({ use: { bundle: a }, next: { switching: false } });
    expect(one.start().life.use).toMatchObject({ kind: "trial", bundle: b });
  });
});

it("a trial without a bake time ends with its turns", () => {
  const one = settled(runOf({ bakeMs: 0 })).tryOut(b);
  expect(one.tell({ kind: "turnCompleted", catalogHash: b.catalogHash }).did("answer")).toMatchObject([
    { verdict: "ack" },
  ]);
});

describe("when a trial ends badly", () => {
  it.each(["crash", "reload", "health"] as const)(
    "by %s it comes back once, with a notice and the reason",
    (reason) => {
      const one = settled().tryOut(b).tell({ kind: "faltered", reason, detail: "why" });
      expect(one.life.use).toMatchObject({ kind: "returning", lastGood: { bundle: a }, failed: b });
      expect(one.did("bringBack")).toEqual([{ kind: "bringBack", bundle: a }]);
      expect(one.did("notice")).toMatchObject([{ about: "reverted", reason, detail: "why", withLog: true }]);
      expect(one.did("answer")).toMatchObject([
        { verdict: "nack", nonce: "n2", why: { reason }, inUse: a.catalogHash },
      ]);
      one.tell({ kind: "baked", digest: "d1" });
      expect(one.life.use).toEqual({ kind: "confirmed", bundle: a, proof: "proven" });
    },
  );

  it("if the last known good crashes too, the agent ends", () => {
    const one = settled().tryOut(b).tell(crash).tell(crash);
    expect(one.life.use.kind).toBe("ended");
    expect(one.effects.map(({ kind }) => kind)).toEqual(["notice", "end"]);
    expect(one.start().did("launch")).toEqual([{ kind: "launch", bundle: a }]);
  });

  it("a crash on what was confirmed is nobody's fault here", () => {
    const one = settled().tell(crash);
    expect(one.life).toEqual(settled().life);
    expect(one.effects).toEqual([{ kind: "end" }]);
    expect(settled().tell({ ...crash, reason: "health" }).effects).toEqual([]);
  });

  it("bad health after coming back does not kill", () => {
    const one = settled()
      .tryOut(b)
      .tell(crash)
      .tell({ ...crash, reason: "health" });
    expect(one.life.use.kind).toBe("returning");
    expect(one.effects).toEqual([]);
  });

  it("what was being switched to waits for a boundary of the process that came back", () => {
    const one = settled().tryOut(b).stage(c).tell({ kind: "boundary" }).tell(crash);
    expect(one.life.next).toMatchObject({ state: "staged", switching: false });
    expect(one.did("awaitBoundary")).toEqual([{ kind: "awaitBoundary", digest: "d3" }]);
    expect(one.tell({ kind: "switched", digest: "d3" }).life.use.kind).toBe("returning");
    expect(one.tell({ kind: "boundary" }).did("switch")).toHaveLength(1);
  });
});

describe("what proves nothing", () => {
  it("stop, idle end and eviction: the trial goes on at the next start", () => {
    const one = settled(runOf({ turns: 2 }))
      .tryOut(b)
      .tell({ kind: "turnCompleted", catalogHash: b.catalogHash });
    one.tell({ kind: "baked", digest: "d2" }).tell({ kind: "stopped" }).start();
    expect(one.did("launch")).toEqual([{ kind: "launch", bundle: b }]);
    expect(one.did("bake")).toHaveLength(1);
    expect(one.life.use).toMatchObject({ kind: "trial", progress: { turns: 1, baked: false } });
    expect(one.prove(b).life.use.kind).toBe("confirmed");
  });

  it("a kill of harness and agent, of which nobody could tell", () => {
    const one = settled().tryOut(b).tell({ kind: "baked", digest: "d2" }).start();
    expect(one.did("launch")).toEqual([{ kind: "launch", bundle: b }]);
    expect(one.tell({ kind: "turnCompleted", catalogHash: b.catalogHash }).life.use.kind).toBe("trial");
    expect(one.tell({ kind: "baked", digest: "d2" }).life.use.kind).toBe("confirmed");
  });

  it("coming back and then stopped", () => {
    const one = settled().tryOut(b).tell(crash).tell({ kind: "stopped" }).start();
    expect(one.did("launch")).toEqual([{ kind: "launch", bundle: a }]);
    expect(one.life.use.kind).toBe("returning");
  });
});

describe("a newer bundle", () => {
  it("replaces one on trial; the last known good stays what was last confirmed", () => {
    const one = settled().tryOut(b).tryOut(c);
    expect(one.life.use).toMatchObject({ kind: "trial", bundle: c, lastGood: { bundle: a } });
    expect(one.tell(crash).life.use).toMatchObject({ kind: "returning", lastGood: { bundle: a } });
  });

  it("tells that the one on trial is superseded", () => {
    const one = settled().tryOut(b).tryOut(c);
    expect(one.did("tell").map(({ digest, state }) => [digest, state])).toEqual([
      ["d2", "superseded"],
      ["d3", "trial"],
    ]);
  });

  it("replaces one on its way, in each of its states", () => {
    const steps = [
      () => settled().offer(b),
      () => settled().offer(b).tell({ kind: "fetched", digest: "d2" }),
      () => settled().offer(b).tell({ kind: "fetched", digest: "d2" }).check(b),
      () => settled().stage(b),
      () => settled().stage(b).tell({ kind: "notNow", digest: "d2" }),
    ];
    for (const step of steps) {
      const one = step().offer(c);
      expect(one.life.next).toMatchObject({ state: "offered", offer: { digest: "d3" } });
      expect(one.did("tell")[0]).toMatchObject({ digest: "d2", state: "superseded" });
    }
  });

  it("waits for a switch that has begun, and is asked for after it", () => {
    const one = settled().stage(b).tell({ kind: "boundary" }).offer(c);
    expect(one.life.next).toMatchObject({ bundle: b, switching: true });
    expect(one.tell({ kind: "switched", digest: "d2" }).did("ask")).toHaveLength(1);
  });

  it("with the same content is acknowledged without a trial", () => {
    const again = bundleOf(2, "a");
    const one = settled().offer(again).tell({ kind: "fetched", digest: "d2" }).check(again);
    expect(one.life).toMatchObject({ use: { kind: "confirmed", bundle: again }, next: null, floor: { sequence: 2 } });
    expect(one.did("answer")).toMatchObject([{ verdict: "ack", digest: "d2", nonce: "n2", inUse: a.catalogHash }]);
  });

  it("with the content that is on trial goes on with that trial", () => {
    const again = bundleOf(3, "b");
    const one = settled().tryOut(b).offer(again).tell({ kind: "fetched", digest: "d3" }).check(again);
    expect(one.life).toMatchObject({ use: { kind: "trial", bundle: again, nonce: "n3" }, next: null });
    expect(one.prove(again).did("answer")).toMatchObject([{ verdict: "ack", digest: "d3", nonce: "n3" }]);
  });

  it("with the content of what ended is no proof: it waits for a start", () => {
    const again = bundleOf(3, "a");
    const one = settled().tryOut(b).tell(crash).tell(crash).offer(again).tell({ kind: "fetched", digest: "d3" });
    expect(one.check(again).life).toMatchObject({ use: { kind: "ended" }, next: { state: "verified" } });
  });

  it("good A, bad B, good A ends healthy on A", () => {
    const again = bundleOf(3, "a");
    const early = settled().tryOut(b).tryOut(again).prove(again);
    expect(early.life.use).toEqual({ kind: "confirmed", bundle: again, proof: "proven" });
    const late = settled().tryOut(b).tell(crash).offer(again).tell({ kind: "fetched", digest: "d3" }).check(again);
    expect(late.tell({ kind: "baked", digest: "d3" }).life.use).toMatchObject({ kind: "confirmed", bundle: again });
  });
});

describe("what passes by itself", () => {
  it.each(["diskFull", "timeout", "unreachable"] as const)("%s is tried again from where it was", (cause) => {
    const one = settled().offer(b).tell({ kind: "failed", digest: "d2", cause });
    expect(one.life.next).toMatchObject({ state: "deferred", cause });
    expect(one.did("retryAfter")).toEqual([{ kind: "retryAfter", digest: "d2", ms: 1_000 }]);
    expect(one.tell({ kind: "due", digest: "d2" }).did("fetch")).toHaveLength(1);
    expect(one.tell({ kind: "failed", digest: "d2", cause }).did("retryAfter")).toMatchObject([{ ms: 2_000 }]);
    one.tell({ kind: "due", digest: "d2" }).tell({ kind: "fetched", digest: "d2" });
    one.tell({ kind: "failed", digest: "d2", cause }).tell({ kind: "due", digest: "d2" });
    expect(one.did("check")).toHaveLength(1);
    one.check(b).tell({ kind: "failed", digest: "d2", cause }).tell({ kind: "due", digest: "d2" });
    expect(one.did("stage")).toHaveLength(1);
  });

  it("the back-off has an end, and never gives up", () => {
    const one = settled().offer(b);
    for (let tries = 0; tries < 40; tries += 1)
      one.tell({ kind: "failed", digest: "d2", cause: "unreachable" }).tell({ kind: "due", digest: "d2" });
    expect(one.tell({ kind: "failed", digest: "d2", cause: "unreachable" }).did("retryAfter")).toMatchObject([
      { ms: 300_000 },
    ]);
  });

  it("a switch that failed is tried again at another boundary", () => {
    const one = settled().stage(b).tell({ kind: "boundary" }).tell({ kind: "failed", digest: "d2", cause: "diskFull" });
    expect(one.life.use).toMatchObject({ kind: "confirmed", bundle: a });
    expect(one.did("ask")).toHaveLength(1);
    expect(one.tell({ kind: "due", digest: "d2" }).did("awaitBoundary")).toHaveLength(1);
  });

  it("'not now' is bounded, then a person is told once, and it is never overruled", () => {
    const one = settled().stage(b);
    const notices: number[] = [];
    for (let times = 1; times <= 7; times += 1) {
      if (one.tell({ kind: "notNow", digest: "d2" }).did("notice").length > 0) notices.push(times);
      expect(one.life.next).toMatchObject({ state: "deferred", cause: "notNow" });
      expect(one.tell({ kind: "boundary" }).effects).toEqual([]);
      expect(one.tell({ kind: "due", digest: "d2" }).did("awaitBoundary")).toHaveLength(1);
    }
    expect(notices).toEqual([5]);
    expect(one.tell({ kind: "boundary" }).did("switch")).toHaveLength(1);
  });
});

describe("a fresh instance", () => {
  it("starts from what its channel has confirmed", () => {
    expect(settled().life.use).toEqual({ kind: "confirmed", bundle: a, proof: "proven" });
    expect(settled().did("launch")).toEqual([{ kind: "launch", bundle: a }]);
  });

  it("that is on its way to it is there with the start, and answered", () => {
    const one = new Driver().start().offer(a, "n7");
    one.start({ bundle: a, confirmed: true });
    expect(one.life).toMatchObject({ use: { kind: "confirmed", bundle: a }, next: null });
    expect(one.did("answer")).toMatchObject([{ nonce: "n7", digest: "d1", verdict: "ack", inUse: a.catalogHash }]);
    expect(one.did("launch")).toEqual([{ kind: "launch", bundle: a }]);
  });

  it("or from the assigned bundle, as a trial", () => {
    const one = new Driver().start({ bundle: a, confirmed: false });
    expect(one.life.use).toMatchObject({ kind: "trial", bundle: a, lastGood: null });
    expect(one.prove(a).did("answer")).toMatchObject([{ verdict: "ack", nonce: null, digest: "d1" }]);
  });

  it("or without a catalog", () => {
    expect(new Driver().start().effects).toEqual([{ kind: "launch", bundle: null }]);
  });

  it("takes up what was on its way: whoever worked on it is gone", () => {
    const digest = "d2";
    const one = settled().offer(b);
    expect(one.start().did("fetch")).toEqual([{ kind: "fetch", digest }]);
    expect(one.tell({ kind: "fetched", digest }).start().did("check")).toEqual([{ kind: "check", digest }]);
    expect(one.check(b).start().did("stage")).toEqual([{ kind: "stage", digest }]);
    one.tell({ kind: "failed", digest, cause: "diskFull" });
    expect(one.start().did("retryAfter")).toEqual([{ kind: "retryAfter", digest, ms: 1_000 }]);
  });

  it("knows what its channel has got to", () => {
    const one = new Driver().start({ bundle: c, confirmed: true }).offer(b);
    expect(one.did("answer")).toMatchObject([{ verdict: "nack", why: { reason: "rollback" }, inUse: c.catalogHash }]);
  });

  it("of another runtime is not started on this bundle", () => {
    const other = runtimeTargetOf(build({ wireVersion: 4 }));
    const one = new Driver(runOf({ target: other })).start({ bundle: a, confirmed: true });
    expect(one.did("refuseStart")).toMatchObject([
      { why: { reason: "incompatible", axis: "wireVersion", expected: 3, actual: 4 } },
    ]);
    expect(one.did("launch")).toEqual([]);
  });
});

describe("another build", () => {
  const other = runtimeTargetOf(build({ wireVersion: 4 }));
  const forOther = bundleOf(2, "b", { target: other });

  it("of the same formats goes on with the trial", () => {
    const one = settled()
      .tryOut(b)
      .start(null, runOf({ buildId: "b2" }));
    expect(one.life.use).toMatchObject({ kind: "trial", bundle: b, lastGood: { bundle: a } });
  });

  it("of other formats starts on the bundle that comes with it, and never on the old one", () => {
    const one = settled().start({ bundle: forOther, confirmed: false }, runOf({ buildId: "b2", target: other }));
    expect(one.did("launch")).toEqual([{ kind: "launch", bundle: forOther }]);
    expect(one.tell(crash).life.use).toMatchObject({ kind: "ended", lastGood: { bundle: a } });
    expect(
      settled()
        .start(null, runOf({ buildId: "b2", target: other }))
        .did("refuseStart"),
    ).toMatchObject([{ why: { axis: "wireVersion" } }]);
  });

  it("of other formats does not go on with a trial, nor with what was staged", () => {
    const trial = settled()
      .tryOut(b)
      .start(null, runOf({ buildId: "b2", target: other }));
    expect(trial.did("launch")).toEqual([]);
    expect(trial.life.use).toMatchObject({ kind: "confirmed", bundle: a });
    const staged = settled()
      .stage(b)
      .start(null, runOf({ buildId: "b2", target: other }));
    expect(staged.life.next).toBeNull();
    expect(staged.did("launch")).toEqual([]);
  });

  it("back on the old formats goes on with what was confirmed there", () => {
    const one = settled()
      .tryOut(b)
      .start(null, runOf({ buildId: "b2", target: other }))
      .start(null, runOf());
    expect(one.did("launch")).toEqual([{ kind: "launch", bundle: a }]);
  });
});

it("a life that has not begun runs on nothing", () => {
  expect(newLife({ fleet: "f", catalog: "c" }, runOf())).toMatchObject({ use: { kind: "none" }, next: null });
});
