/** Turns whatever was thrown into the text or the JSON of an error, and into the exit code. */
import type { Output } from "../output/output.ts";
import { exit, exitOfError } from "./exit-code.ts";

/** An error as people and programs are told it. */
export interface ErrorReport {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  readonly details: Readonly<Record<string, unknown>>;
}

interface Told extends Error {
  readonly code: string;
  readonly hint: string;
}

/** Our own errors have a code and a hint; everything else is a bug. */
function isTold(error: unknown): error is Told {
  return (
    error instanceof Error &&
    "code" in error &&
    typeof error.code === "string" &&
    "hint" in error &&
    typeof error.hint === "string"
  );
}

export function reportOf(error: unknown): ErrorReport {
  if (isTold(error)) {
    const details = "details" in error && typeof error.details === "object" ? error.details : {};
    return { code: error.code, message: error.message, hint: error.hint, details: { ...details } };
  }
  const message = error instanceof Error ? error.message : String(error);
  return {
    code: "internal",
    message: `this is a bug of moorage: ${message}`,
    hint: "what runs goes on. Please report it as CONTRIBUTING.md says, with what it prints under MOORAGE_DEBUG=1",
    details: {},
  };
}

/** Prints the error and returns its exit code. A stack trace is for those who ask for it. */
export function printError(error: unknown, output: Output, debug: boolean): number {
  const report = reportOf(error);
  if (output.json) output.object("Error", report);
  else
    output.error(`${output.style("red", "error:")} ${report.message}\n${output.style("dim", "hint:")} ${report.hint}`);
  if (debug && error instanceof Error) output.error(error.stack ?? "");
  return report.code === "internal" ? exit.fault : exitOfError(report.code);
}
