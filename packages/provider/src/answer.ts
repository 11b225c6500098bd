/** What the provider answers: one JSON object on one line. */
export type Answer =
  | {
      readonly ok: true;
      readonly name: string;
      readonly version: string;
      readonly protocol_version: number;
      readonly description: string;
      readonly config_schema: object;
    }
  | { readonly ok: true; readonly agent_id: string }
  | { readonly ok: false; readonly error: string };

/** Far below the megabyte that a client reads; an error is cut, since what others say in it has no bound. */
const longestError = 8_000;

/** The line as it is written, its end included. Half a character in it would make it unreadable for some. */
export function answerLine(answer: Answer): string {
  if (answer.ok) return `${JSON.stringify(answer)}\n`;
  const { error } = answer;
  const told = error.length <= longestError ? error : `${error.slice(0, longestError)}…`;
  return `${JSON.stringify({ ok: false, error: told.toWellFormed() })}\n`;
}
