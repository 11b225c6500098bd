/** A history and what came of it, told so that a person can follow it. */
import type { History, Step } from "./history.ts";
import type { Played } from "./play.ts";

interface Broken {
  readonly promise: string;
  readonly at: number;
  readonly message: string;
}

export function tellStory(history: History, played: Played): string {
  const title = `seed ${history.seed}, ${history.scopeExists ? "the scope exists" : "the scope is missing"}`;
  return storyOf(title, history.steps.map(inWords), history.faults, played, ["rest"]);
}

/** `atRest`: promises that are about the calm in the end, which is of no interest when another one was broken before. */
export function storyOf(
  title: string,
  steps: readonly string[],
  given: History["faults"],
  { violations, faults, story }: Pick<Played, "faults" | "story"> & { readonly violations: readonly Broken[] },
  atRest: readonly string[],
): string {
  const inRest = violations.every(({ promise }) => atRest.includes(promise));
  const calm = story.findIndex((line) => line.endsWith("the world is calm"));
  const lines = inRest || calm < 0 ? story : story.slice(0, calm);
  const hit = given.kind === "given" ? given.list : faults;
  return [
    title,
    "who and what:",
    ...steps.map((step) => `  ${step}`),
    ...hit.map(({ caller, operation, kind }) => `  request ${operation} of #${caller}: ${kind}`),
    "what happened:",
    ...lines.map((line) => `  ${line}`),
    "what broke:",
    ...violations.map(({ promise, at, message }) => `  ${promise} at ${seconds(at)}: ${message}`),
  ].join("\n");
}

function inWords(step: Step): string {
  switch (step.kind) {
    case "start":
      return `${seconds(step.at)} start #${step.caller} of agent ${step.agent}, declaration ${step.variant}${step.scheme === "m2" ? " of another implementation" : ""}, deadline ${seconds(step.deadlineMs)}${step.settleMs > 0 ? `, settle ${seconds(step.settleMs)}` : ""}${crash(step)}`;
    case "stop":
      return `${seconds(step.at)} stop #${step.caller} of agent ${step.agent}, deadline ${seconds(step.deadlineMs)}${crash(step)}`;
    case "keep":
      return `${seconds(step.at)} keep #${step.caller} of agent ${step.agent}, declaration ${step.variant}, until ${seconds(step.untilMs)}${crash(step)}`;
    case "interrupt":
      return `${seconds(step.at)} #${step.caller} is interrupted`;
    case "gap":
      return `${seconds(step.at)} the machine of #${step.caller} sleeps for ${seconds(step.ms)}`;
    case "world":
      return `${seconds(step.at)} to agent ${step.agent}: ${JSON.stringify(step.event)}`;
    case "fate":
      return `instance number ${step.nth}: ${JSON.stringify(step.fate)}`;
    default:
      return step satisfies never;
  }
}

function crash(step: Extract<Step, { kind: "start" | "stop" | "keep" }>): string {
  if (step.crash === null) return "";
  return `, dies at its await ${step.crash.operation}, ${step.crash.after ? "after" : "before"} sending`;
}

export function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(3)} s`;
}
