/** What surrounds one run of the command: arguments, environment, streams and the interrupt; read once, in main. */
import type { Output } from "./output/output.ts";

export interface Host {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly output: Output;
  /** Aborts at Ctrl-C, SIGTERM and SIGHUP. */
  readonly interrupt: AbortSignal;
  readonly version: string;
  /** The command line that starts this very command again; arguments are appended. */
  readonly command: readonly [string, ...string[]];
}
