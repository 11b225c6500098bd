/** Every way in which a substrate can say no, with its text and what helps; a substrate maps its own answers to these. */
import type { Condition } from "./conditions.ts";

export type Refusal =
  /** A limit of the scope is used up. The only refusal that may heal while a start waits. */
  | { readonly kind: "quotaExceeded"; readonly quota: string; readonly detail: string }
  | { readonly kind: "admissionDenied"; readonly by: string; readonly detail: string }
  | { readonly kind: "scopeTerminating"; readonly scope: string }
  /** The scope is missing and we may not create it. */
  | { readonly kind: "scopeAbsent"; readonly scope: string; readonly command: string }
  | { readonly kind: "forbidden"; readonly verb: string; readonly resource: string; readonly detail: string }
  /** Who we are was not accepted: no credentials, or ones that are over. */
  | { readonly kind: "unauthenticated"; readonly target: string }
  | { readonly kind: "invalid"; readonly detail: string }
  | { readonly kind: "unreachable"; readonly target: string; readonly detail: string }
  /** Local: processes of this agent that we may not signal are still there. */
  | {
      readonly kind: "leftoversRemain";
      readonly processes: readonly { readonly pid: number; readonly command: string }[];
    }
  /** Local: the same identity lives in another state directory of this user. */
  | { readonly kind: "otherScope"; readonly scope: string }
  /** Local: another identity's instance has the declared name here; people would take the two for one agent. */
  | { readonly kind: "nameTaken"; readonly by: string }
  | { readonly kind: "cannotTell"; readonly detail: string }
  /** A refusal that nobody has classified: it stops the call. */
  | { readonly kind: "unknown"; readonly detail: string };

/** Whether a start may keep trying until its deadline. */
export function mayHeal(refusal: Refusal): boolean {
  return refusal.kind === "quotaExceeded";
}

/** The text of a refusal and the command or change that helps. */
export function refusalCondition(refusal: Refusal, agent: string): Condition {
  switch (refusal.kind) {
    case "quotaExceeded":
      return {
        code: "quotaExceeded",
        message: `the quota ${refusal.quota} is used up: ${refusal.detail}`,
        hint: "raise the quota or stop something that uses it; a start that waits goes on by itself",
      };
    case "admissionDenied":
      return {
        code: "admissionDenied",
        message: `${refusal.by} does not admit it: ${refusal.detail}`,
        hint: `change the declaration as ${refusal.by} demands, then run \`moorage deploy ${agent}\``,
      };
    case "scopeTerminating":
      return {
        code: "scopeTerminating",
        message: `${refusal.scope} is being deleted; nothing can be created in it`,
        hint: "wait until it is gone, or choose another one",
      };
    case "scopeAbsent":
      return {
        code: "scopeAbsent",
        message: `${refusal.scope} does not exist and we may not create it`,
        hint: `run \`${refusal.command}\``,
      };
    case "forbidden":
      return {
        code: "forbidden",
        message: `not allowed to ${refusal.verb} ${refusal.resource}: ${refusal.detail}`,
        hint: `ask for the right to ${refusal.verb} ${refusal.resource}; \`moorage doctor\` lists all that are needed`,
      };
    case "unauthenticated":
      return {
        code: "unauthenticated",
        message: `${refusal.target} does not accept these credentials`,
        hint: "log in again, or choose other credentials with `--context`; `moorage doctor` says which are used",
      };
    case "invalid":
      return {
        code: "invalid",
        message: `it was refused as invalid: ${refusal.detail}`,
        hint: "correct the declaration",
      };
    case "unreachable":
      return {
        code: "unreachable",
        message: `${refusal.target} cannot be reached: ${refusal.detail}`,
        hint: "run `moorage doctor`; what is running goes on",
      };
    case "leftoversRemain": {
      const list = refusal.processes.map(({ pid, command }) => `${pid} (${command})`).join(", ");
      const pids = refusal.processes.map(({ pid }) => pid).join(" ");
      return {
        code: "leftoversRemain",
        message: `processes of a lost run are still there and we may not end them: ${list}`,
        hint: `end them with \`sudo kill ${pids}\`, then run \`moorage deploy ${agent}\``,
      };
    }
    case "otherScope":
      return {
        code: "otherScope",
        message: `the same identity has an instance in another state directory: ${refusal.scope}`,
        hint: `use it with \`--state ${refusal.scope}\`, or stop it there: \`moorage stop ${agent} --state ${refusal.scope}\``,
      };
    case "nameTaken":
      return {
        code: "nameTaken",
        message: `another agent is called ${agent} here: ${refusal.by}, under another identity`,
        hint: `if it is the same agent under another key, \`moorage stop ${agent}\` first; else give one of them another name`,
      };
    case "cannotTell":
      return {
        code: "cannotTell",
        message: `whether it lives cannot be told from here: ${refusal.detail}`,
        hint: `look from where it was started, with \`moorage explain ${agent}\`; nothing was ended and nothing created`,
      };
    case "unknown":
      return { code: "refused", message: `refused: ${refusal.detail}`, hint: `run \`moorage explain ${agent}\`` };
    default:
      return refusal satisfies never;
  }
}
