import { expect, it } from "vitest";
import { noteGone } from "./disappearance.ts";
import type { Attempt } from "./identity.ts";
import { attempt, evidence, instance } from "./observed.fixture.ts";

it("the Secret follows what had ended or never begun, and stays with what may be alive", () => {
  const after = (state: keyof typeof evidence): readonly Attempt[] => {
    const gone = new Set<Attempt>();
    noteGone(gone, instance(evidence[state]));
    return [...gone];
  };
  expect(after("terminated")).toEqual([attempt]);
  expect(after("recoverable")).toEqual([attempt]);
  expect(after("started")).toEqual([]);
  expect(after("interrupted")).toEqual([]);
});
