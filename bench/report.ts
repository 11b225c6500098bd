// How results are told: as a table in a terminal, and as the Markdown and JSON that are recorded.
import type { Machine } from "./machine.ts";
import { describeMachine } from "./machine.ts";
import type { Limit, Quantity, Reading, Unit } from "./measure.ts";
import { holds } from "./measure.ts";

/** The readings of one row, by the name of its file. */
export interface Row {
  readonly row: string;
  readonly readings: readonly Reading[];
}

export interface Results {
  /** Day of the run, as YYYY-MM-DD. */
  readonly date: string;
  readonly machine: Machine;
  readonly rows: readonly Row[];
}

const heading = ["row", "what", "ours", "baseline", "ratio", "limit", "verdict"] as const;

/** Aligned columns, one line for each reading. */
export function asTable(rows: readonly Row[]): string {
  const lines = [[...heading], ...cells(rows)];
  const widths = heading.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

export function asMarkdown({ date, machine, rows }: Results): string {
  const line = (each: readonly string[]): string => `| ${each.join(" | ")} |`;
  const table = [line(heading), line(heading.map(() => "---")), ...cells(rows).map(line)];
  return `# ${date}\n\n${describeMachine(machine)}\n\n${table.join("\n")}\n\n${legend}\n`;
}

const legend =
  "Medians, and in parentheses the range of the middle half. The ratio is the median of the ratios of the pairs, not the\n" +
  "ratio of the medians.";

export function asJson({ date, machine, rows }: Results): string {
  const told = rows.map(({ row, readings }) => ({
    row,
    readings: readings.map((reading) => ({ ...reading, holds: holds(reading) })),
  }));
  return `${JSON.stringify({ date, machine, rows: told }, null, 2)}\n`;
}

function cells(rows: readonly Row[]): string[][] {
  return rows.flatMap(({ row, readings }) =>
    readings.map((reading) => [
      row,
      reading.what,
      median(reading.ours),
      reading.baseline === null ? "–" : `${median(reading.baseline)} (${reading.against})`,
      withSpread(reading.compared),
      limitText(reading.limit, reading.compared.unit),
      holds(reading) ? "holds" : "BROKEN",
    ]),
  );
}

function median({ unit, value }: Quantity): string {
  return text(value.median, unit);
}

function withSpread({ unit, value }: Quantity): string {
  return `${text(value.median, unit)} (${digits(value.low)}–${digits(value.high)})`;
}

function limitText({ kind, value }: Limit, unit: Unit): string {
  const sign = { atMost: "≤", under: "<", atLeast: "≥" }[kind];
  return `${sign} ${unit === "×" ? `${value}×` : unit === "boots" ? `+ ${value} boots` : `${value} ${unit}`}`;
}

function text(value: number, unit: Unit): string {
  if (unit === "×") return `${digits(value)}×`;
  return unit === "boots" ? `+ ${digits(value)} boots` : `${digits(value)} ${unit}`;
}

function digits(value: number): string {
  if (Number.isInteger(value)) return String(value);
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
