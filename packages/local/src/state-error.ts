/** The faults of a state directory: each with a stable code, a text for people and what helps. */

export type StateErrorCode =
  | "stateNotWritable"
  | "stateReadOnly"
  | "stateDiskFull"
  | "stateCorrupt"
  | "stateNewer"
  | "stateLocked"
  | "stateOtherOwner"
  | "stateUnsupportedFileSystem"
  | "stateNotADirectory"
  | "stateLost"
  | "stateFault"
  | "homeUnset";

/** A fault of the state, never an outcome. What was asked for did not happen, and nothing that was recorded is lost. */
export class StateError extends Error {
  override readonly name = "StateError";
  readonly code: StateErrorCode;
  /** The command or the change that helps. */
  readonly hint: string;

  constructor(code: StateErrorCode, message: string, hint: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.hint = hint;
  }
}

/** Of a scope that was opened by who only looks. */
export function openedForReading(stateDir: string): StateError {
  return new StateError(
    "stateReadOnly",
    `the state in ${stateDir} was opened for reading; nothing was changed`,
    "open it for writing",
  );
}
