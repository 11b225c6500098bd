/** The conditions that a start or a stop can be in or end with, each with its text and the command that helps. */
import type { Finding } from "./classify.ts";
import type { Ending } from "./ending.ts";
import { describeEnding } from "./ending.ts";
import type { VerifiedInstance } from "./observation.ts";
import { pullWords } from "./pull-words.ts";
import type { Cause, NodeLost, Proof } from "./startup.ts";

/** Why a call did not end with a running agent. */
export interface Condition {
  readonly code: string;
  readonly message: string;
  /** The exact command or change that helps. */
  readonly hint: string;
}

export const looking: Condition = { code: "looking", message: "nothing is known yet", hint: "run `moorage doctor`" };

export function starting(agent: string, cause: Cause): Condition {
  const hint = `\`moorage deploy ${agent}\` waits for it, \`moorage stop ${agent}\` gives it up`;
  return { code: cause.code, message: cause.message, hint };
}

export function settling(agent: string): Condition {
  const message = "it runs; watching whether it goes on running";
  return { code: "settling", message, hint: `\`moorage logs ${agent} -f\` shows what it writes` };
}

export function notComparable(agent: string, cause: Cause): Condition {
  return {
    code: "intentNotComparable",
    message: `${cause.message}; another version created it, so whether it is what you declared cannot be told`,
    hint: `to replace it, run \`moorage stop ${agent}\` and then \`moorage deploy ${agent}\``,
  };
}

/** `verb` is what was asked for: the same command goes on from there. */
export function notConfirmed(verb: "deploy" | "stop", agent: string, deadlineMs: number, latest: Condition): Condition {
  return {
    code: "notConfirmed",
    message: `not confirmed within ${deadlineMs / 1000} s: ${latest.message}`,
    hint: `nothing was undone; \`moorage ${verb} ${agent}\` goes on from here, \`moorage explain ${agent}\` says more`,
  };
}

export function interrupted(agent: string): Condition {
  return {
    code: "interrupted",
    message: "interrupted; what was started goes on",
    hint: `run \`moorage status ${agent}\` to see it, \`moorage stop ${agent}\` to end it`,
  };
}

export function disappearing(agent: string, instance: VerifiedInstance): Condition {
  const { deletion, nodeLost, name } = instance;
  const finalizers = deletion?.finalizers ?? [];
  if (nodeLost !== null) {
    return {
      code: "nodeLost",
      message: `${name} is marked for deletion, but its node ${nodeLost.node} does not answer${since(nodeLost)}, so nobody can confirm its end`,
      hint: `bring the node back, or, when it is certain that the machine is off, \`kubectl delete node ${nodeLost.node}\``,
    };
  }
  if (instance.startup.kind === "terminated" && finalizers.length > 0) {
    return {
      code: "finalizerHolds",
      message: `${name} has ended, but ${finalizers.join(", ")} keeps the object`,
      hint: `ask whoever owns the finalizer ${finalizers.join(", ")}`,
    };
  }
  const hint = `\`moorage stop ${agent}\` waits for its end, \`moorage stop ${agent} --now\` does not wait for the turn`;
  return { code: "ending", message: `${name} is ending`, hint };
}

export function ended(agent: string, ending: Ending): Condition {
  return {
    code: "agentEnded",
    message: `it started and ended: ${describeEnding(ending)}`,
    hint: `run \`moorage logs ${agent}\` to see what it said`,
  };
}

export function broken(agent: string, proof: Proof): Condition {
  const why = describeProof(proof);
  return { code: "provablyBroken", message: `it cannot start: ${why}`, hint: `run \`moorage deploy ${agent}\` again` };
}

function describeProof(proof: Proof): string {
  switch (proof.kind) {
    case "invalidImage":
      return `${proof.image} is no valid image reference`;
    case "secretAbsent":
      return `its Secret ${proof.secret} was removed`;
    case "creatorLost":
      return "whoever was creating it died before its supervisor took over";
    default:
      return proof satisfies never;
  }
}

export function finding(agent: string, found: Finding): Condition {
  switch (found.kind) {
    case "pullFailing": {
      const { meaning, remedy } = pullWords[found.failure.kind];
      const image = found.failure.image === null ? "" : ` (${found.failure.image})`;
      return {
        code: found.failure.kind,
        message: `the image cannot be pulled${image}: ${meaning}`,
        hint: `${remedy}, then run \`moorage stop ${agent}\` and \`moorage deploy ${agent}\``,
      };
    }
    case "cannotTell":
      return {
        code: "cannotTell",
        message: `whether it lives cannot be told from here: ${found.cause.message}`,
        hint: `look from where it was started, with \`moorage explain ${agent}\`; nothing was ended and nothing created`,
      };
    default:
      return found satisfies never;
  }
}

export function nodeUnreachable(lost: NodeLost): Condition {
  return {
    code: "nodeUnreachable",
    message: `it was running when its node ${lost.node} was last heard of${since(lost)}`,
    hint: "bring the node back; nothing is ever started beside it",
  };
}

export function duplicateIdentity(agent: string, names: readonly string[]): Condition {
  return {
    code: "duplicateIdentity",
    message: `another live instance has this identity: ${names.join(", ")}; nothing is created beside it`,
    hint: `find out who created it, then end it: \`moorage stop ${agent} --all\``,
  };
}

export function foreignObject(agent: string, name: string, reason: string): Condition {
  return {
    code: "foreignObject",
    message: `${name} exists and is not ours: ${reason}. It is never touched`,
    hint: `rename or remove ${name} yourself, then run \`moorage deploy ${agent}\``,
  };
}

export function removedUnconfirmed(agent: string, name: string): Condition {
  return {
    code: "removedUnconfirmed",
    message: `${name} was removed while it was last seen running; its process may still be alive`,
    hint: `make sure that it has ended before you run \`moorage deploy ${agent}\``,
  };
}

export function worldMoved(agent: string, what: string): Condition {
  return { code: "worldMoved", message: what, hint: `look again: \`moorage deploy ${agent}\`` };
}

function since(lost: NodeLost): string {
  return lost.since === null ? "" : ` since ${lost.since}`;
}
