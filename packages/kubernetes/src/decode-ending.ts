/** How a pod's agent came to its end: from the container's own state, and from the phase and reason of the pod around it. */
import type { Ending, EndingReason } from "@moorage/core";
import { endingOfNote, readEndingNote } from "@moorage/core";
import type { Fields } from "./json-fields.ts";
import { textOf } from "./json-fields.ts";
import { conditionIn } from "./object-parts.ts";

const signals: Readonly<Record<number, string>> = {
  1: "SIGHUP",
  2: "SIGINT",
  3: "SIGQUIT",
  4: "SIGILL",
  6: "SIGABRT",
  7: "SIGBUS",
  8: "SIGFPE",
  9: "SIGKILL",
  11: "SIGSEGV",
  13: "SIGPIPE",
  15: "SIGTERM",
};

/** Reasons of a pod that was taken off its node. */
const takenAway: Readonly<Record<string, string>> = {
  Evicted: "its node was short of something",
  NodeShutdown: "its node was shut down",
  Terminated: "its node was shut down",
  Shutdown: "its node was shut down",
  NodeLost: "its node was lost",
  Preempting: "something more urgent took its place",
  PreemptionByScheduler: "something more urgent took its place",
  TerminationByKubelet: "its node was short of something, or was shut down",
  EvictionByEvictionAPI: "somebody asked for its eviction",
  DeletionByTaintManager: "its node got a taint that it does not tolerate",
  DeletionByPodGC: "its node is no more",
};

/** Reasons with which a kubelet turns down a pod before it starts anything: `OutOfcpu`, `OutOfmemory`, `NodeAffinity`, … */
const turnedDown =
  /^(?:OutOf\w+|NodeAffinity|NodePorts|NodeName|UnexpectedAdmissionError|TaintToleration|\w*AdmissionError|PodOSNotSupported|PodOSSelectorNodeLabelDoesNotMatch|AppArmor|SysctlForbidden|VolumeAttachmentLimitExceeded)$/;

/** The ending that the pod tells beside the container's own, or null when it tells none. */
export function endingOfPod(status: Fields): Pick<Ending, "reason" | "detail"> | null {
  const reason = textOf(status["reason"]);
  const disruption = conditionIn(status, "DisruptionTarget");
  if (reason === "DeadlineExceeded") return { reason: "stopped", detail: "its active deadline was over" };
  if (reason !== null && Object.hasOwn(takenAway, reason))
    return { reason: "evicted", detail: `${takenAway[reason]} (${reason})` };
  if (reason !== null && turnedDown.test(reason))
    return { reason: "notStarted", detail: `its node turned it down (${reason})` };
  if (disruption["status"] === "True") {
    const why = textOf(disruption["reason"]) ?? "DisruptionTarget";
    return { reason: "evicted", detail: `${takenAway[why] ?? "it was taken off its node"} (${oneWord(why)})` };
  }
  return null;
}

/**
 * `state.terminated` of our container. Its message may hold anything: it is classified, or is a note of the harness's.
 * `marked` says whether anybody has asked for the pod's end, `overdue` whether it came when the active deadline was over.
 */
export function endingOfContainer(
  terminated: Fields,
  pod: Pick<Ending, "reason" | "detail"> | null,
  marked: boolean,
  overdue = false,
): Ending {
  const code = terminated["exitCode"];
  const exitCode = typeof code === "number" ? code : null;
  const at = textOf(terminated["finishedAt"]);
  const own = ownEnding(textOf(terminated["reason"]), exitCode, terminated);
  const around = pod ?? (own.reason === "stopped" && !marked ? askedByNode(own.detail) : null);
  const told = around !== null && podDecides(around.reason, own.reason, overdue) ? around : own;
  return { reason: told.reason, exitCode, signal: own.signal, detail: told.detail, at };
}

/** Of a pod that it evicts a kubelet keeps nothing but an Event when the container ends with 0 at once (seen with 1.35). */
function askedByNode(detail: string | null): Pick<Ending, "reason" | "detail"> {
  const words = "its node asked it to end; the Events of its pod may say why";
  return { reason: "evicted", detail: detail === null ? words : `${words}; ${detail}` };
}

/** A pod that was taken away ended for that, however the agent took it; a deadline may have come after the end. */
function podDecides(pod: EndingReason, own: EndingReason, overdue: boolean): boolean {
  if (pod === "evicted") return true;
  return (
    pod === "stopped" && (own === "signaled" || own === "unknown" || own === "stopped" || (own === "exited" && overdue))
  );
}

/** Whether the container ended when the pod's active deadline was over. Both times are of the node's clock. */
export function endedOverdue(spec: Fields, status: Fields, terminated: Fields): boolean {
  const seconds = spec["activeDeadlineSeconds"];
  const began = Date.parse(textOf(status["startTime"]) ?? "");
  const ended = Date.parse(textOf(terminated["finishedAt"]) ?? "");
  return typeof seconds === "number" && ended >= began + seconds * 1000;
}

/** Ours never ran, and the pod is over. */
export function endingUnseen(pod: Pick<Ending, "reason" | "detail"> | null, cause: string): Ending {
  const { reason, detail } = pod ?? { reason: "notStarted" as const, detail: cause };
  return { reason, exitCode: null, signal: null, detail, at: null };
}

function ownEnding(
  reason: string | null,
  exitCode: number | null,
  terminated: Fields,
): { readonly reason: EndingReason; readonly signal: string | null; readonly detail: string | null } {
  const given = terminated["signal"];
  const number =
    typeof given === "number" && given > 0 ? given : exitCode !== null && exitCode > 128 ? exitCode - 128 : 0;
  const signal = signals[number] ?? null;
  if (reason === "OOMKilled") return { reason: "outOfMemory", signal, detail: null };
  if (reason === "ContainerStatusUnknown")
    return { reason: "unknown", signal: null, detail: "its node lost track of it (ContainerStatusUnknown)" };
  if (reason === "StartError" || reason === "ContainerCannotRun")
    return { reason: "notStarted", signal: null, detail: startFault(textOf(terminated["message"]) ?? "") };
  if (exitCode === null) return { reason: "unknown", signal, detail: reason === null ? null : oneWord(reason) };
  const note = readEndingNote(textOf(terminated["message"]));
  if (note !== null) return { signal, ...endingOfNote(note) };
  return signal === null ? { reason: "exited", signal, detail: null } : { reason: "signaled", signal, detail: null };
}

/** Why a command could not be started, in words of our own. */
export function startFault(message: string): string {
  if (/exec format error/i.test(message)) return "its program is for another architecture: exec format error";
  if (/no such file or directory|executable file not found|not found in \$PATH/i.test(message))
    return "its command is not in the image";
  if (/permission denied/i.test(message)) return "its command may not be executed";
  if (/cannot allocate memory|out of memory|oom/i.test(message)) return "there was not enough memory to start it";
  return "the runtime could not start its command";
}

/** A reason is one word of the platform's; anything else of that name is not repeated. */
export function oneWord(text: string): string {
  return /^[A-Za-z][\w.-]{0,63}$/.test(text) ? text : "an unknown reason";
}
