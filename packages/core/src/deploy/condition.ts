/** Why a call did not end with a running agent: a stable code, a text for people and the command that helps. */

export interface Condition {
  readonly code: string;
  readonly message: string;
  /** The exact command or change that helps. */
  readonly hint: string;
}
