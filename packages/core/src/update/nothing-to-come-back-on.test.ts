import { expect, it } from "vitest";
import { bundleOf, Driver } from "./life.fixture.ts";

const a = bundleOf(1, "a");
const crash = { kind: "faltered", reason: "crash", detail: "exit code 1" } as const;

it("without a last known good the agent ends with a notice, and a start tries its bundle again", () => {
  const one = new Driver().start({ bundle: a, confirmed: false }).tell(crash);
  expect(one.life).toMatchObject({ use: { kind: "ended", lastGood: null }, quarantine: [] });
  expect(one.did("end")).toHaveLength(1);
  expect(one.did("bringBack")).toEqual([]);
  expect(one.did("notice")).toMatchObject([{ about: "ended", digest: "d1", withLog: true }]);
  expect(one.start(null).did("refuseStart")).toHaveLength(1);
  expect(one.start({ bundle: a, confirmed: false }).did("launch")).toEqual([{ kind: "launch", bundle: a }]);
  expect(one.life.use.kind).toBe("trial");
});

it("without a last known good neither health nor a reload ends anything", () => {
  const one = new Driver().start({ bundle: a, confirmed: false });
  for (const reason of ["health", "reload"] as const) expect(one.tell({ ...crash, reason }).effects).toEqual([]);
  expect(one.prove(a).life.use).toEqual({ kind: "confirmed", bundle: a, proof: "proven" });
});
