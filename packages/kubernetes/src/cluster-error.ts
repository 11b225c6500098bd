/** The faults of the way to a cluster and of what people ask of it: each with a stable code, a text for people and what helps. Never a credential in any. */
import type { Refused, Unavailable } from "@moorage/core";
import { refusalCondition } from "@moorage/core";

export type ClusterErrorCode =
  | "kubeconfigMissing"
  | "kubeconfigUnreadable"
  | "kubeconfigInvalid"
  | "contextUnknown"
  | "clusterUnsupported"
  /** A package that only rare ways need is not installed. */
  | "clientLibraryMissing"
  | "credentialsUnreadable"
  | "credentialPluginMissing"
  | "credentialPluginFailed"
  | "signInFailed"
  /** What the API server answers to a person's question. */
  | "forbidden"
  | "unauthenticated"
  | "unreachable"
  | "refused"
  /** Why there is no output to be read. */
  | "logNotStarted"
  | "logNoPrevious"
  | "logPodGone"
  | "logContainerUnknown"
  | "logNodeUnreachable"
  | "logUnreadable";

export class ClusterError extends Error {
  override readonly name = "ClusterError";
  readonly code: ClusterErrorCode;
  /** The command or the change that helps. */
  readonly hint: string;

  constructor(code: ClusterErrorCode, message: string, hint: string) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

/** For questions that have no value for "no": what was refused, or did not answer. `agent` stands in the commands that help. */
export function answerFault(answer: Refused | Unavailable, agent: string): ClusterError {
  if (answer.kind === "unavailable")
    return new ClusterError(
      "unreachable",
      `the cluster does not answer: ${answer.detail}`,
      "run `moorage doctor`; what is running goes on",
    );
  const { kind } = answer.refusal;
  const { message, hint } = refusalCondition(answer.refusal, agent);
  const code = kind === "forbidden" || kind === "unauthenticated" || kind === "unreachable" ? kind : "refused";
  return new ClusterError(code, message, hint);
}
