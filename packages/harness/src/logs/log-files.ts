/** The numbered files of one log directory. */
import { readdirSync } from "node:fs";
import { join } from "node:path";

export function logFilePath(directory: string, number: number): string {
  return join(directory, `output-${String(number).padStart(6, "0")}.log`);
}

/** Their numbers, the oldest first. None when the directory is absent or cannot be read. */
export function logFileNumbers(directory: string): readonly number[] {
  let names: readonly string[];
  try {
    names = readdirSync(directory);
  } catch {
    return [];
  }
  return names
    .map((name) => Number(/^output-(\d{6,})\.log$/.exec(name)?.[1] ?? Number.NaN))
    .filter((number) => !Number.isNaN(number))
    .sort((a, b) => a - b);
}
