import { expect, it } from "vitest";
import { evaluateBundle } from "./evaluate-bundle.ts";
import { type Axis, type RuntimeTarget, runtimeTargetOf } from "./fingerprint.ts";
import { build, hashOf } from "./fingerprints.fixture.ts";

const running = build();
const target = runtimeTargetOf(running);

it("a bundle for this very runtime is hot", () => {
  expect(evaluateBundle({ target, catalogHash: hashOf("b") }, running)).toEqual({ tier: "hot" });
});

it("a bundle equal to the catalog in use is hot as well", () => {
  expect(evaluateBundle({ target, catalogHash: running.toolCatalogHash }, running)).toEqual({ tier: "hot" });
});

const refused: [Partial<RuntimeTarget>, Axis, RegExp][] = [
  [{ wireVersion: 4 }, "wireVersion", /wire version/],
  [{ wireVersion: 2 }, "wireVersion", /wire version/],
  [{ eventLogSchema: 8 }, "eventLogSchema", /event-log schema/],
  [{ crdApiVersion: "moorage.dev/v2" }, "crdApiVersion", /CRD apiVersion/],
  [{ eventLogSchema: 8, crdApiVersion: "moorage.dev/v2" }, "eventLogSchema", /event-log schema/],
  [{ wireVersion: 4, crdApiVersion: "moorage.dev/v2" }, "wireVersion", /wire version/],
  [{ wireVersion: 4, eventLogSchema: 8, crdApiVersion: "moorage.dev/v2" }, "wireVersion", /wire version/],
];

it.each(refused)("refused: %j, by %s", (changes, axis, words) => {
  const other = { ...target, ...changes };
  const verdict = evaluateBundle({ target: other, catalogHash: hashOf("b") }, running);
  expect(verdict).toMatchObject({ tier: "incompatible", axis, expected: other[axis], actual: running[axis] });
  if (verdict.tier === "hot") throw new Error("not refused");
  expect(verdict.message).toMatch(words);
  expect(verdict.message).toContain("differs from the target the bundle was built for");
});
