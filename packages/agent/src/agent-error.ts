/** What can go wrong between an agent and its harness: a stable code, a message for people, and what helps. */

export type AgentErrorCode =
  /** The agent is asked to end: no turn begins any more. */
  | "draining"
  /** Nobody answers on the socket any more. */
  | "harnessGone"
  /** This agent has no catalog. */
  | "noCatalog"
  | "noSuchFile"
  /** A path that could lead out of the catalog. */
  | "badPath"
  | "notJson"
  /** The catalog refers to a variable that the agent does not have. */
  | "secretMissing"
  /** Anything else that the harness refused, such as `tooManyTurns`: its own code. */
  | (string & {});

export class AgentError extends Error {
  readonly code: AgentErrorCode;
  readonly hint: string;

  constructor(code: AgentErrorCode, message: string, hint: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "AgentError";
    this.code = code;
    this.hint = hint;
  }
}

/** Whether an error says that the agent is asked to end: leave the loop, and exit. */
export function isDraining(error: unknown): boolean {
  return error instanceof AgentError && error.code === "draining";
}
