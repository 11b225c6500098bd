import fc from "fast-check";
import { expect, it } from "vitest";
import type { Action } from "./classify.ts";
import { classify } from "./classify.ts";
import type { VerifiedInstance } from "./observation.ts";
import { evidence, instance, intent } from "./observed.fixture.ts";

const intents = ["", intent("a"), intent("b"), "other:scheme"];

const instances: fc.Arbitrary<VerifiedInstance> = fc
  .record({
    state: fc.constantFrom(...Object.values(evidence)),
    recorded: fc.constantFrom(...intents),
    marked: fc.boolean(),
    absent: fc.boolean(),
    lost: fc.boolean(),
    uid: fc.uuid(),
    resourceVersion: fc.nat().map(String),
    startedAt: fc.constantFrom(null, "1970-01-01T00:00:00Z", "2999-01-01T00:00:00Z"),
  })
  .map(({ state, recorded, marked, absent, lost, uid, resourceVersion, startedAt }) =>
    instance(
      lost ? { ...state, nodeLost: { node: "n", since: null } } : state,
      {
        intent: recorded,
        deletion: marked ? { since: "1970-01-01T00:00:00Z", finalizers: [] } : null,
        fence: { uid, resourceVersion },
        startedAt,
      },
      absent ? ["the-secret"] : [],
    ),
  );

const desired = fc.constantFrom(intent("a"), intent("b"));
const total = (observed: VerifiedInstance | null, wanted: ReturnType<typeof intent>): Action =>
  classify(observed, wanted);

it("is total and deterministic", () => {
  fc.assert(
    fc.property(fc.option(instances, { nil: null }), desired, (observed, wanted) => {
      expect(total(observed, wanted)).toEqual(total(observed, wanted));
    }),
  );
});

it("P2: a started agent only ever meets a no-op, unless it is marked", () => {
  fc.assert(
    fc.property(instances, desired, (observed, wanted) => {
      if (observed.startup.kind !== "started") return;
      expect(classify(observed, wanted).kind).toBe(observed.deletion === null ? "noOp" : "awaitDisappearance");
    }),
  );
});

it("P3: a delete carries the fence of the very observation that it follows from", () => {
  fc.assert(
    fc.property(instances, desired, (observed, wanted) => {
      const action = classify(observed, wanted);
      if (action.kind === "delete") expect(action.fence).toBe(observed.fence);
    }),
  );
});

it("P4: age and the deletion's age change nothing", () => {
  fc.assert(
    fc.property(instances, desired, (observed, wanted) => {
      const action = classify(observed, wanted);
      const older = { ...observed, startedAt: "1970-01-01T00:00:00Z" } as VerifiedInstance;
      expect(classify(older, wanted).kind).toBe(action.kind);
    }),
  );
});

it("P5: only a started container is answered as running", () => {
  fc.assert(
    fc.property(instances, desired, (observed, wanted) => {
      if (classify(observed, wanted).kind === "noOp") expect(observed.startup.kind).toBe("started");
    }),
  );
});
