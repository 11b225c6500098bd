import { describe, expect, it } from "vitest";
import { bundleOf, Driver, runOf, settled } from "./life.fixture.ts";
import { withRun } from "./starting.ts";

const a = bundleOf(1, "a");
const b = bundleOf(2, "b");

describe("an agent that shows only later how it takes part", () => {
  it("has waited for a start, and has a turn to wait for from then on", () => {
    const one = settled(runOf({ takesPart: "nothing" })).stage(b);
    expect(one.did("awaitBoundary")).toEqual([]);
    expect(one.tell({ kind: "connected" }).did("awaitBoundary")).toEqual([{ kind: "awaitBoundary", digest: "d2" }]);
    expect(one.tell({ kind: "boundary" }).did("switch")).toHaveLength(1);
  });

  it("proves a trial by its turns", () => {
    const one = new Driver(runOf({ takesPart: "nothing" })).start({ bundle: a, confirmed: false });
    one.tell({ kind: "connected" }).tell({ kind: "baked", digest: "d1" });
    expect(one.life.use.kind).toBe("trial");
    expect(one.tell({ kind: "turnCompleted", catalogHash: a.catalogHash }).life.use.kind).toBe("confirmed");
  });

  it("makes no claim about turns where files and a signal are declared", () => {
    const one = settled(runOf({ takesPart: "files" })).tell({ kind: "connected" });
    expect(one.life.run.takesPart).toBe("files");
  });
});

it("a bundle that is offered before a start is weighed for the build that starts", () => {
  const one = settled().tell({ kind: "stopped" });
  const other = runOf({ buildId: "b2", target: { ...a.target, wireVersion: 9 } });
  one.life = withRun(one.life, other);
  one.offer(b).tell({ kind: "fetched", digest: "d2" }).check(b);
  expect(one.life.next).toBe(null);
  expect(one.did("answer")).toMatchObject([{ verdict: "nack", why: { reason: "incompatible" } }]);
});

it("what did not fit the formats that were declared before is weighed anew for others, under the same build", () => {
  const one = settled(runOf({ target: { ...a.target, wireVersion: 9 } }));
  one.offer(b).tell({ kind: "fetched", digest: "d2" }).check(b);
  expect(one.life.quarantine).toHaveLength(1);
  one.life = withRun(one.life, runOf());
  one.stage(b);
  expect(one.life.next).toMatchObject({ state: "staged" });
});

it("a signature that did not count is weighed anew by each start: another root may be trusted by then", () => {
  const one = settled();
  one.offer(b).tell({ kind: "fetched", digest: "d2" });
  one.tell({ kind: "rejected", digest: "d2", reason: "signature", detail: "nobody signed it" });
  one.offer(b);
  expect(one.life.next).toBe(null);
  one.life = withRun(one.tell({ kind: "stopped" }).life, runOf());
  one.stage(b);
  expect(one.life.next).toMatchObject({ state: "staged" });
});
