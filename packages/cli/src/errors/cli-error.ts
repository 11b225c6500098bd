/** An error that a person caused or can mend: stable code, message, the change or command that helps. */

export interface CliErrorFields {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

export class CliError extends Error {
  readonly code: string;
  readonly hint: string;
  readonly details: Readonly<Record<string, unknown>>;

  constructor({ code, message, hint, details }: CliErrorFields) {
    super(message);
    this.name = "CliError";
    this.code = code;
    this.hint = hint;
    this.details = details ?? {};
  }
}

/** Wrong usage of the command: exit 2. */
export function usageError(message: string, hint: string): CliError {
  return new CliError({ code: "usage", message, hint });
}
