/** What one call may still do: at most one instance removed, then at most one created; a loser repairs nothing. Pure. */
import type { Action } from "./classify.ts";
import * as conditions from "./conditions.ts";
import type { Attempt } from "./identity.ts";
import type { IntentDigest } from "./intent.ts";
import { compareIntent } from "./intent.ts";
import type { CallEnd } from "./look.ts";
import type { VerifiedInstance } from "./observation.ts";

export interface Spent {
  /** free: nothing created yet; creator: a create of this call was accepted; loser: somebody else's was. */
  readonly role: "free" | "creator" | "loser";
  /** The incarnation that this call has sent a delete for. The same one may be sent again: it stays one removal. */
  readonly removedUid: string | null;
}

/** The action if the call may still take it, what it becomes, or the end of the call. */
export function withinLimits(
  action: Action,
  own: VerifiedInstance | null,
  spent: Spent,
  attempt: Attempt | null,
  desired: IntentDigest,
  agent: string,
): Action | CallEnd {
  switch (spent.role) {
    case "free":
      return freeLimit(action, own, spent, agent);
    case "creator":
      return creatorLimit(action, own, attempt, agent);
    case "loser":
      return loserLimit(action, own, desired, agent);
    default:
      return spent.role satisfies never;
  }
}

function freeLimit(action: Action, own: VerifiedInstance | null, spent: Spent, agent: string): Action | CallEnd {
  if (action.kind !== "delete" || spent.removedUid === null || spent.removedUid === action.fence.uid) return action;
  if (own?.startup.kind === "terminated")
    return { kind: "reported", condition: conditions.ended(agent, own.startup.ending) };
  return {
    kind: "worldMoved",
    condition: conditions.worldMoved(agent, "another caller created an instance after this call had removed one"),
  };
}

function creatorLimit(
  action: Action,
  own: VerifiedInstance | null,
  attempt: Attempt | null,
  agent: string,
): Action | CallEnd {
  const ours = own !== null && own.attempt === attempt;
  switch (action.kind) {
    case "create":
      return {
        kind: "worldMoved",
        condition: conditions.worldMoved(agent, "somebody removed the instance that this call created"),
      };
    case "awaitDisappearance":
      return {
        kind: "worldMoved",
        condition: conditions.worldMoved(agent, "somebody is stopping the instance that this call created"),
      };
    case "delete":
      if (!ours || own === null)
        return {
          kind: "worldMoved",
          condition: conditions.worldMoved(agent, "another instance took the place of the one that this call created"),
        };
      return tooMuch(own, agent);
    case "noOp":
    case "observe":
    case "report":
      return action;
    default:
      return action satisfies never;
  }
}

/** A second removal in one call: told instead, so that an agent that ends at once is not created for ever. */
function tooMuch(own: VerifiedInstance, agent: string): CallEnd {
  const { startup } = own;
  if (startup.kind === "terminated") return { kind: "reported", condition: conditions.ended(agent, startup.ending) };
  if (startup.kind === "provablyBroken")
    return { kind: "reported", condition: conditions.broken(agent, startup.proof) };
  return {
    kind: "worldMoved",
    condition: conditions.worldMoved(agent, "the intent on the instance is not the one that this call recorded"),
  };
}

function loserLimit(
  action: Action,
  own: VerifiedInstance | null,
  desired: IntentDigest,
  agent: string,
): Action | CallEnd {
  switch (action.kind) {
    case "create":
      return {
        kind: "worldMoved",
        condition: conditions.worldMoved(agent, "the instance of the caller that won is gone again"),
      };
    case "awaitDisappearance":
      return {
        kind: "worldMoved",
        condition: conditions.worldMoved(agent, "the instance of the caller that won is being stopped"),
      };
    case "delete": {
      if (own === null) return action;
      const { startup } = own;
      if (startup.kind === "terminated")
        return { kind: "reported", condition: conditions.ended(agent, startup.ending) };
      const cause =
        startup.kind === "recoverable"
          ? startup.cause
          : { code: "winnerBroken", message: "the instance of the caller that won cannot start" };
      return { kind: "observe", name: own.name, intent: compareIntent(own.recorded, desired), cause };
    }
    case "noOp":
    case "observe":
    case "report":
      return action;
    default:
      return action satisfies never;
  }
}
