/** Durations as people write them: `30s`, `5m`, `2h`; parsed to milliseconds and written back. */

export type ParsedDuration =
  | { readonly kind: "duration"; readonly ms: number }
  | { readonly kind: "mistake"; readonly message: string; readonly hint: string };

const unitMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 };
const longestMs = 8760 * 3_600_000;
const remedy = "write a whole number and a unit, such as 30s, 5m or 2h";

/** What the JSON Schema says about the form. */
export const durationPattern = "^[1-9][0-9]*(s|m|h)$";

/** Milliseconds of a duration. 0 is accepted, with or without a unit, only where `zero` says so. At most 8760h. */
export function parseDuration(text: string, zero: "refused" | "allowed" = "refused"): ParsedDuration {
  const [, digits, unit] = /^(\d+)([smh])$/.exec(text) ?? [];
  if (/^0+[smh]?$/.test(text))
    return zero === "allowed"
      ? { kind: "duration", ms: 0 }
      : mistake(`${text} is no duration: nothing could happen in it`, remedy);
  if (digits === undefined || unit === undefined) return mistake(describe(text), remedy);
  const ms = Number(digits) * (unitMs[unit] ?? 0);
  return ms > longestMs
    ? mistake(`${text} is longer than a year`, "write at most 8760h; `never` where the key allows it")
    : { kind: "duration", ms };
}

function mistake(message: string, hint: string): ParsedDuration {
  return { kind: "mistake", message, hint };
}

function describe(text: string): string {
  const shown = JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
  if (text.startsWith("-")) return `${shown} is negative`;
  if (/^\d+$/.test(text)) return `${shown} has no unit`;
  if (/^[\d.]+e[+-]?\d+[smh]$/i.test(text)) return `${shown} is not written as a whole number`;
  return `${shown} is not a duration`;
}

/** A length of time in its two largest units, such as "5m 12s"; under a minute "3.4s". */
export function describeDuration(ms: number): string {
  if (ms < 10_000) return `${(Math.max(0, ms) / 1000).toFixed(1)}s`;
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return joined(minutes, "m", seconds % 60, "s");
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? joined(hours, "h", minutes % 60, "m") : joined(Math.floor(hours / 24), "d", hours % 24, "h");
}

function joined(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit} ${small}${smallUnit}`;
}
