/** What may a start do? One verified observation and the desired intent give the one action: pure, total, without a clock. */
import type { IntentComparison, IntentDigest } from "./intent.ts";
import { compareIntent } from "./intent.ts";
import type { Fence, VerifiedInstance } from "./observation.ts";
import type { Cause, NodeLost, PullFailure, Startup } from "./startup.ts";

declare const authorised: unique symbol;

/** What lets a start remove an instance. A pull failure, an age or a reason is no member. */
export type DeleteGround = "terminated" | "provablyBroken" | "intentChanged";

/** Who or what authorised a removal: the rules of a start, or a person's explicit stop. */
export type Authority = DeleteGround | "stop";

/** A removal with the fence of the very observation that authorised it; only `authoriseDelete` and `authoriseStop` make one. */
export interface DeleteAction {
  readonly [authorised]: true;
  readonly kind: "delete";
  readonly name: string;
  readonly fence: Fence;
  readonly ground: Authority;
}

/** What a start reports at once because waiting cannot help. */
export type Finding =
  | { readonly kind: "pullFailing"; readonly failure: PullFailure }
  | { readonly kind: "cannotTell"; readonly cause: Cause };

export type Action =
  | { readonly kind: "create" }
  | DeleteAction
  | { readonly kind: "awaitDisappearance"; readonly name: string }
  | {
      readonly kind: "noOp";
      readonly name: string;
      readonly intent: IntentComparison;
      readonly nodeUnreachable: NodeLost | null;
    }
  | { readonly kind: "observe"; readonly name: string; readonly intent: IntentComparison; readonly cause: Cause }
  | { readonly kind: "report"; readonly name: string; readonly intent: IntentComparison; readonly finding: Finding };

/** The startups that a removal may follow from. Started, interrupted, pull failing and cannot-tell do not fit. */
type Removable = Extract<Startup, { kind: "terminated" | "provablyBroken" | "recoverable" }>;
type RemovableInstance = VerifiedInstance & { readonly startup: Removable };

function withStartup<S extends Startup>(
  instance: VerifiedInstance,
  startup: S,
): VerifiedInstance & { readonly startup: S } {
  return instance.startup === startup
    ? (instance as VerifiedInstance & { readonly startup: S })
    : { ...instance, startup };
}

/** A removal that the rules of a start allow; the fence is that of the instance which it follows from. */
export function authoriseDelete(instance: RemovableInstance, ground: DeleteGround): DeleteAction {
  return deletion(instance, ground);
}

/** A removal by a person's explicit word: the only one that may end a started agent or one whose pull fails. */
export function authoriseStop(instance: VerifiedInstance): DeleteAction {
  return deletion(instance, "stop");
}

function deletion(instance: VerifiedInstance, ground: Authority): DeleteAction {
  const action: Omit<DeleteAction, typeof authorised> = {
    kind: "delete",
    name: instance.name,
    fence: instance.fence,
    ground,
  };
  return action as DeleteAction;
}

/** The eight rules of a start, in their order. `observed` is null when a read found no instance under our name. */
export function classify(observed: VerifiedInstance | null, desired: IntentDigest): Action {
  if (observed === null) return { kind: "create" };
  const { name, startup } = observed;
  if (observed.deletion !== null) return { kind: "awaitDisappearance", name };
  const intent = compareIntent(observed.recorded, desired);
  switch (startup.kind) {
    case "started":
      return { kind: "noOp", name, intent, nodeUnreachable: startup.nodeUnreachable };
    case "terminated":
      return authoriseDelete(withStartup(observed, startup), "terminated");
    case "provablyBroken":
      return authoriseDelete(withStartup(observed, startup), "provablyBroken");
    case "pullFailing":
      return { kind: "report", name, intent, finding: { kind: "pullFailing", failure: startup.failure } };
    case "cannotTell":
      return { kind: "report", name, intent, finding: { kind: "cannotTell", cause: startup.cause } };
    case "interrupted":
      return { kind: "observe", name, intent, cause: startup.cause };
    case "recoverable":
      return intent === "diverged"
        ? authoriseDelete(withStartup(observed, startup), "intentChanged")
        : { kind: "observe", name, intent, cause: startup.cause };
    default:
      return startup satisfies never;
  }
}

/** The number of the rule that an action follows from, for the journal and for people; null for a person's stop. */
export function ruleOf(action: Action): number | null {
  switch (action.kind) {
    case "create":
      return 1;
    case "awaitDisappearance":
      return 2;
    case "noOp":
      return 3;
    case "report":
      return 6;
    case "observe":
      return 7;
    case "delete":
      return ruleOfGround[action.ground];
    default:
      return action satisfies never;
  }
}

const ruleOfGround: Readonly<Record<Authority, number | null>> = {
  terminated: 4,
  provablyBroken: 5,
  intentChanged: 8,
  stop: null,
};
