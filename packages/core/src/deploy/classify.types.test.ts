/** What must not compile: each marked line breaks an invariant of the decision table. */
import { expectTypeOf, test } from "vitest";
import type { Action, DeleteAction, DeleteGround } from "./classify.ts";
import { authoriseDelete, classify } from "./classify.ts";
import type { IntentDigest, IntentTemplate } from "./intent.ts";
import type { ObservedInstance, VerifiedInstance } from "./observation.ts";
import type { PullFailure, Startup } from "./startup.ts";

declare const verified: VerifiedInstance;
declare const observed: ObservedInstance;
declare const desired: IntentDigest;
declare const pull: PullFailure;
type With<K extends Startup["kind"]> = VerifiedInstance & { readonly startup: Extract<Startup, { kind: K }> };

test("a delete cannot be built without authority", () => {
  // @ts-expect-error a plain object is no delete action: the authority is missing
  const forged: DeleteAction = {
    kind: "delete",
    name: "x",
    fence: { uid: "u", resourceVersion: "1" },
    ground: "terminated",
  };
  // @ts-expect-error and none without a fence either
  const unfenced: Action = { kind: "delete", name: "x", ground: "terminated" };
  void [forged, unfenced];
});

test("a verified instance only comes out of the verification", () => {
  // @ts-expect-error an observation is not verified
  classify(observed, desired);
  // @ts-expect-error nor is a copy of its fields
  const made: VerifiedInstance = { ...observed, startup: { kind: "started", nodeUnreachable: null } };
  void made;
});

test("no start may delete what is started, interrupted, failing to pull or beyond judgement", () => {
  const refuse = (): void => {
    // @ts-expect-error started
    authoriseDelete(verified as With<"started">, "terminated");
    // @ts-expect-error interrupted
    authoriseDelete(verified as With<"interrupted">, "terminated");
    // @ts-expect-error a pull failure is no part of anything that a delete accepts
    authoriseDelete(verified as With<"pullFailing">, "terminated");
    // @ts-expect-error cannot tell
    authoriseDelete(verified as With<"cannotTell">, "terminated");
    // @ts-expect-error a pull failure is no ground
    authoriseDelete(verified as With<"terminated">, pull);
    // @ts-expect-error a person's stop is no ground of a start
    authoriseDelete(verified as With<"terminated">, "stop");
    authoriseDelete(verified as With<"terminated">, "terminated");
  };
  void refuse;
  expectTypeOf<DeleteGround>().toEqualTypeOf<"terminated" | "provablyBroken" | "intentChanged">();
});

test("an intent holds no secret value, and only a digest is compared", () => {
  // @ts-expect-error a template has no place for secret values
  const leaking: IntentTemplate["secretKeys"] = { API_KEY: "value" };
  // @ts-expect-error any text is no digest
  classify(verified, "m1:0000");
  void leaking;
});
