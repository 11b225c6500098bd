import { describe, expect, it } from "vitest";
import type { ManifestFacts } from "./channel.ts";
import { runtimeTargetOf } from "./fingerprint.ts";
import { build, hashOf } from "./fingerprints.fixture.ts";
import { bundleOf, type Driver, runOf, settled } from "./life.fixture.ts";
import type { RefusalReason } from "./life.ts";
import { lifted, type Quarantined, quarantinedBy, quarantineMs, withQuarantined } from "./quarantine.ts";

const a = bundleOf(1, "a");
const b = bundleOf(2, "b");
const crash = { kind: "faltered", reason: "crash", detail: "exit code 1" } as const;
const other = runtimeTargetOf(build({ eventLogSchema: 8 }));

function fetched(bundle = b, one: Driver = settled()): Driver {
  return one.offer(bundle).tell({ kind: "fetched", digest: bundle.digest });
}

describe("a refusal", () => {
  const refused: [RefusalReason, Partial<ManifestFacts>][] = [
    ["incompatible", { target: other }],
    ["otherChannel", { channel: { fleet: "readers", catalog: "main" } }],
    ["parent", { parent: "other" }],
    ["expired", { expiresAt: 1 }],
    ["notAsOffered", { catalogHash: hashOf("c") }],
    ["notAsOffered", { sequence: 3 }],
    ["rootRollback", { rootVersion: -1 }],
  ];
  it.each(refused)("by %s keeps what is in use, tells why, and asks a person", (reason, changes) => {
    const one = fetched().check(b, changes);
    expect(one.life).toMatchObject({ use: { kind: "confirmed", bundle: a }, next: null, floor: { sequence: 1 } });
    expect(one.did("notice")).toMatchObject([{ about: "refused", reason, digest: "d2", withLog: false }]);
    expect(one.did("answer")).toMatchObject([{ verdict: "nack", why: { reason }, nonce: "n2", inUse: a.catalogHash }]);
    expect(one.did("tell")).toMatchObject([{ digest: "d2", state: "refused" }]);
  });

  it("by its axis has both values", () => {
    const [answer] = fetched().check(b, { target: other }).did("answer");
    expect(answer?.why).toMatchObject({ axis: "eventLogSchema", expected: 8, actual: 7 });
    expect(answer?.why?.detail).toContain("event-log schema");
  });

  it.each(["signature", "corrupt", "malformed"] as const)("%s is final in each state before the switch", (reason) => {
    for (const one of [settled().offer(b), fetched(), fetched().check(b)]) {
      one.tell({ kind: "rejected", digest: "d2", reason, detail: "so it was found" });
      expect(one.did("answer")).toMatchObject([{ verdict: "nack", why: { reason, detail: "so it was found" } }]);
      expect(one.life.next).toBeNull();
    }
    const staged = settled().stage(b).tell({ kind: "rejected", digest: "d2", reason, detail: "" });
    expect(staged.life.next?.state).toBe("staged");
  });

  it("two bundles with one sequence are told", () => {
    const twin = bundleOf(1, "c", { digest: "twin" });
    const one = fetched(twin).check(twin);
    expect(one.did("notice")).toMatchObject([{ reason: "equivocation", digest: "twin" }]);
  });

  it("an older one is not even fetched", () => {
    const one = settled().tryOut(bundleOf(5, "e")).offer(b);
    expect(one.did("fetch")).toEqual([]);
    expect(one.did("answer")).toMatchObject([{ verdict: "nack", why: { reason: "rollback" } }]);
    expect(one.life.use).toMatchObject({ kind: "trial", bundle: { digest: "d5" } });
  });

  it("going back to what was confirmed is no rollback", () => {
    const one = settled().tryOut(bundleOf(5, "e")).tell(crash);
    expect(one.life).toMatchObject({ floor: { sequence: 5 }, use: { kind: "returning", lastGood: { bundle: a } } });
  });
});

describe("what failed here", () => {
  const reverted = (): Driver => settled().tryOut(b).tell(crash).tell({ kind: "baked", digest: "d1" });

  it("is answered at once and not fetched again", () => {
    for (const one of [reverted(), fetched().check(b, { target: other })]) {
      one.offer(b, "again");
      expect(one.did("fetch")).toEqual([]);
      expect(one.did("answer")).toMatchObject([{ verdict: "nack", nonce: "again", inUse: a.catalogHash }]);
      expect(one.life.next).toBeNull();
    }
  });

  it("is known by its content when it was in use, whatever its sequence", () => {
    const again = bundleOf(3, "b");
    expect(reverted().offer(again).did("fetch")).toEqual([]);
  });

  it("also when it failed while the other one was on its way", () => {
    const again = bundleOf(3, "b");
    const one = settled().tryOut(b).offer(again).tell({ kind: "fetched", digest: "d3" }).tell(crash);
    expect(one.life).toMatchObject({ use: { kind: "returning", lastGood: { bundle: a } }, next: null });
    const [, answer] = one.did("answer");
    expect(answer).toMatchObject({ verdict: "nack", digest: "d3", why: { reason: "quarantined" } });
    expect(one.check(again).effects).toEqual([]);
  });

  it.each(["offered", "staged"])("also when another build has got it here meanwhile: %s", (state) => {
    const again = bundleOf(3, "b");
    const other = settled()
      .tryOut(b)
      .tell(crash)
      .start(null, runOf({ buildId: "b2" }));
    if (state === "offered") other.offer(again);
    else other.stage(again, "start");
    expect(other.life.next).toMatchObject({ state });
    const back = other.start(null, runOf());
    expect(back.life).toMatchObject({ use: { lastGood: { bundle: a } }, next: null });
    expect(back.did("answer")).toMatchObject([{ verdict: "nack", digest: "d3", why: { reason: "quarantined" } }]);
  });

  it("and by its manifest when it was refused: signed again it is another", () => {
    const one = fetched().check(b, { target: other }).offer(bundleOf(3, "b"));
    expect(one.did("fetch")).toHaveLength(1);
  });

  it("is lifted by another build", () => {
    const one = reverted()
      .start(null, runOf({ buildId: "b2" }))
      .offer(b);
    expect(one.did("fetch")).toHaveLength(1);
    expect(one.start(null, runOf()).tell({ kind: "stopped" }).offer(bundleOf(3, "b")).did("fetch")).toEqual([]);
  });

  it("is lifted by expiry, but time makes no bundle fit", () => {
    const one = reverted();
    one.at += quarantineMs - 1;
    expect(one.offer(b).did("fetch")).toEqual([]);
    one.at += 1;
    expect(one.offer(b).did("fetch")).toHaveLength(1);
    const misfit = fetched().check(b, { target: other });
    misfit.at += 1_000 * quarantineMs;
    expect(misfit.offer(b).did("fetch")).toEqual([]);
  });

  it("is lifted by an operator's word, and asked for", () => {
    const one = reverted().tell({ kind: "retry", digest: "d2" });
    expect(one.did("ask")).toHaveLength(1);
    expect(one.offer(b).did("fetch")).toHaveLength(1);
    expect(reverted().tell({ kind: "retry", digest: "d9" }).effects).toEqual([]);
  });

  it("a retry lets what waits for its back-off go on", () => {
    const one = settled().offer(b).tell({ kind: "failed", digest: "d2", cause: "timeout" });
    expect(one.tell({ kind: "retry", digest: "d2" }).did("fetch")).toHaveLength(1);
  });

  it("verified after a retry, it is the one that was accepted before", () => {
    const one = reverted().tell({ kind: "retry", digest: "d2" }).tryOut(b).prove(b);
    expect(one.life.use).toEqual({ kind: "confirmed", bundle: b, proof: "proven" });
  });
});

describe("offers that come again", () => {
  it("of what is in use are answered at once", () => {
    const one = settled().tryOut(b).prove(b).offer(b, "again");
    expect(one.effects).toEqual([
      { kind: "answer", nonce: "again", digest: "d2", verdict: "ack", why: null, inUse: b.catalogHash },
    ]);
  });

  it("of what is on its way or on trial move the nonce alone", () => {
    for (const step of [() => settled().offer(b), () => settled().stage(b), () => settled().tryOut(b)]) {
      const one = step().offer(b, "again");
      expect(one.effects).toEqual([]);
      expect(JSON.stringify(one.life)).toContain('"nonce":"again"');
    }
    const deferred = settled().stage(b).tell({ kind: "notNow", digest: "d2" }).offer(b, "again");
    expect(deferred.life.next).toMatchObject({ state: "deferred", from: { nonce: "again" } });
    expect(settled().tryOut(b).offer(b, "again").prove(b).did("answer")).toMatchObject([{ nonce: "again" }]);
  });

  it("what is late about another bundle changes nothing", () => {
    const one = settled().stage(b);
    const before = one.life;
    for (const kind of ["fetched", "staged", "due", "notNow", "baked", "checkHeld", "switched"] as const)
      expect(one.tell({ kind, digest: "d9" }).life).toEqual(before);
    one.tell({ kind: "failed", digest: "d9", cause: "timeout" }).check(bundleOf(9, "9"));
    one.tell({ kind: "rejected", digest: "d9", reason: "corrupt", detail: "" });
    expect(one.life).toEqual(before);
  });
});

describe("the list of what failed", () => {
  const entry = (digest: string, buildId = "b1", until = 100): Quarantined => ({
    by: "content",
    digest,
    catalogHash: hashOf("a"),
    buildId,
    until,
    why: { reason: "crash", detail: "" },
  });

  it("is bounded: other builds go first", () => {
    let all: Quarantined[] = [entry("mine"), entry("other", "b0")];
    for (let at = 0; at < 63; at += 1) all = withQuarantined(all, entry(`d${at}`), 1);
    expect(all).toHaveLength(64);
    expect(all.map(({ digest }) => digest)).toContain("mine");
    expect(all.map(({ digest }) => digest)).not.toContain("other");
    expect(withQuarantined(all, entry("last"), 1).map(({ digest }) => digest)).not.toContain("mine");
  });

  it("forgets what is over and keeps one entry for one thing", () => {
    expect(withQuarantined([entry("old", "b1", 5), entry("new")], entry("new"), 5)).toEqual([entry("new")]);
  });

  it("holds for one build until it is over", () => {
    const bundle = bundleOf(9, "a");
    expect(quarantinedBy([entry("x")], bundle, "b1", 99)).toEqual(entry("x"));
    expect(quarantinedBy([entry("x")], bundle, "b1", 100)).toBeNull();
    expect(quarantinedBy([entry("x")], bundle, "b2", 99)).toBeNull();
  });

  it("is lifted with everything of the same content", () => {
    const later = { ...entry("d3"), catalogHash: hashOf("a") };
    const different = { ...entry("d4"), catalogHash: hashOf("b") };
    expect(lifted([entry("d2"), later, different], "d2")).toEqual([different]);
  });
});

describe("the content that has just failed", () => {
  const again = bundleOf(3, "b");

  it.each(["at once", "put off"])("goes no further under another name: offered and %s", (when) => {
    const one = settled().tryOut(b).offer(again);
    if (when === "put off") one.tell({ kind: "failed", digest: "d3", cause: "unreachable" });
    one.tell(crash);
    expect(one.life).toMatchObject({ next: null, use: { kind: "returning", lastGood: { bundle: a }, failed: b } });
    expect(one.did("answer")).toMatchObject([
      { verdict: "nack", digest: "d2" },
      { verdict: "nack", digest: "d3", nonce: "n3", why: { reason: "quarantined" }, inUse: a.catalogHash },
    ]);
    expect(one.tell({ kind: "due", digest: "d3" }).effects).toEqual([]);
  });

  it("does not hold up another", () => {
    const one = settled().tryOut(b).offer(bundleOf(3, "c")).tell(crash);
    expect(one.life.next).toMatchObject({ state: "offered", offer: { digest: "d3" } });
  });
});
