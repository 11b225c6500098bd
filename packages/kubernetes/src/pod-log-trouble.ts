/** What it means that a pod's log cannot be had: the answers of the API server, which passes on what the node says, in words. */
import { redactor } from "@moorage/core";
import { understandRead } from "./answers.ts";
import { answerFault, ClusterError } from "./cluster-error.ts";
import { parseFields, textOf } from "./json-fields.ts";
import type { Requests } from "./requests.ts";
import { onlyTrouble } from "./requests.ts";
import type { Answer } from "./transport.ts";

export interface LogTrouble {
  readonly kind: /** The container has not started yet. */
    | "notStarted"
    /** The pod is not there any more. */
    | "gone"
    /** It may be over in a moment. */
    | "passing"
    | "lasting";
  error(subject: LogSubject): ClusterError;
}

export interface LogSubject {
  readonly pod: string;
  readonly container: string;
  readonly namespace: string;
  /** The agent's name for the commands that help. */
  readonly agent: string;
}

/** `answer` is what came instead of a log. */
export function logTrouble(answer: Answer, requests: Requests): LogTrouble {
  const told = answer.kind === "answered" ? { ...answer, body: redactor([])(answer.body) } : answer;
  const message = told.kind === "answered" ? (textOf(parseFields(told.body)?.["message"]) ?? told.body) : "";
  // No node has the pod yet.
  if (told.kind === "answered" && told.status === 204) return { kind: "notStarted", error: notStarted };
  if (told.kind === "answered" && told.status === 400) return badRequest(message);
  if (told.kind === "answered" && told.status === 500 && /^Get "?https?:\/\//.test(message))
    return { kind: "passing", error: nodeUnreachable };
  const understood = understandRead(told, requests.asked("get", "pods/log"));
  if (understood.kind === "notFound" || understood.kind === "scopeMissing") return { kind: "gone", error: podGone };
  const trouble =
    understood.kind === "success"
      ? ({ kind: "unavailable", detail: "it answers with something else than a log", retryAfterMs: null } as const)
      : onlyTrouble(understood);
  const kind = trouble.kind === "unavailable" ? "passing" : "lasting";
  return { kind, error: ({ agent }) => answerFault(trouble, agent) };
}

function badRequest(message: string): LogTrouble {
  if (/\bis waiting to start\b/.test(message)) return { kind: "notStarted", error: notStarted };
  if (/^previous terminated container\b/.test(message)) return { kind: "lasting", error: noPrevious };
  if (/\bis not valid for pod\b/.test(message)) return { kind: "lasting", error: containerUnknown };
  return { kind: "passing", error: (subject) => unreadable(subject, message) };
}

function noPrevious({ agent }: LogSubject): ClusterError {
  return new ClusterError(
    "logNoPrevious",
    `${agent} has no earlier run in this pod`,
    `\`moorage logs ${agent}\` shows the run that is there; what ran in an earlier pod went with it`,
  );
}

function containerUnknown({ pod, container, agent }: LogSubject): ClusterError {
  return new ClusterError(
    "logContainerUnknown",
    `the pod ${pod} has no container ${container}`,
    `run \`moorage explain ${agent}\``,
  );
}

export function notStarted({ agent }: LogSubject): ClusterError {
  return new ClusterError(
    "logNotStarted",
    `${agent} has not started yet, so it has written nothing`,
    `\`moorage logs ${agent} -f\` waits for it, \`moorage explain ${agent}\` says what it waits for`,
  );
}

export function podGone({ pod, namespace, agent }: LogSubject): ClusterError {
  return new ClusterError(
    "logPodGone",
    `there is no pod ${pod} in the namespace ${namespace}, and its output went with it`,
    `\`moorage status\` lists what is there, \`moorage deploy ${agent}\` starts it`,
  );
}

/** `words`: of the node. */
export function unreadable({ agent }: LogSubject, words: string): ClusterError {
  if (/no such file or directory|^unable to retrieve container logs/.test(words))
    return new ClusterError(
      "logUnreadable",
      `the node has no output of ${agent}: it never wrote any, or it was cleared away`,
      `\`moorage explain ${agent}\` says how it ended`,
    );
  const said = redactor([])(words).replace(/\s+/g, " ").trim().slice(0, 300);
  return new ClusterError(
    "logUnreadable",
    `the node cannot read the output${said === "" ? "" : `: ${said}`}`,
    `try again; \`moorage explain ${agent}\` says more`,
  );
}

function nodeUnreachable({ agent }: LogSubject): ClusterError {
  return new ClusterError(
    "logNodeUnreachable",
    "its node does not answer, and only the node has the output",
    `\`moorage explain ${agent}\` says since when; try again when the node is back`,
  );
}
