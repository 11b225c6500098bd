/** What must not compile: a decision on half a fingerprint, a refusal with the value of another axis. */
import { expectTypeOf, test } from "vitest";
import { classifyUpdate, type UpdateTier } from "./classify-update.ts";
import type { BundleVerdict, Incompatible } from "./evaluate-bundle.ts";
import { evaluateBundle } from "./evaluate-bundle.ts";
import type { Axis, Fingerprint, RuntimeTarget } from "./fingerprint.ts";

declare const fingerprint: Fingerprint;
declare const target: RuntimeTarget;

test("a target is no fingerprint, and a fingerprint decides whole", () => {
  const refuse = (): void => {
    // @ts-expect-error the catalog is missing
    classifyUpdate(fingerprint, target);
    // @ts-expect-error a bundle names its payload
    evaluateBundle({ target }, fingerprint);
    // @ts-expect-error an unknown axis
    classifyUpdate(fingerprint, { ...target, toolCatalogHash: "", storageVersion: 1 });
  };
  void refuse;
  expectTypeOf<Axis>().toEqualTypeOf<"wireVersion" | "eventLogSchema" | "crdApiVersion">();
  expectTypeOf<UpdateTier>().toEqualTypeOf<"cold" | "hot" | "warm">();
});

test("a refusal has the values of its own axis; hot has none", () => {
  expectTypeOf<Extract<Incompatible, { axis: "crdApiVersion" }>["expected"]>().toEqualTypeOf<string>();
  // @ts-expect-error the schema is a number
  const wrong: Incompatible = { tier: "incompatible", axis: "eventLogSchema", expected: "7", actual: 8, message: "" };
  // @ts-expect-error hot has no axis
  const hot: BundleVerdict = { tier: "hot", axis: "wireVersion" };
  void [wrong, hot];
});
