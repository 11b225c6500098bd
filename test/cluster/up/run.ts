/** Runs a program to its end and says what it said when it failed. */
import { spawnSync } from "node:child_process";

export function run(command: string, ...args: readonly string[]): string {
  const done = spawnSync(command, args, { encoding: "utf8", maxBuffer: 1 << 26 });
  if (done.error !== undefined) throw new Error(`${command} cannot be run: ${done.error.message}`);
  if (done.status === 0) return done.stdout;
  throw new Error(`${[command, ...args].join(" ")} failed: ${done.stderr.trim() || done.stdout.trim()}`);
}

/** The same, where failing is all right: what is not there cannot be taken away. */
export function attempt(command: string, ...args: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: "ignore", timeout: 20_000 }).status === 0;
}

/** Waits until the condition holds; throws, saying what it waited for, after `limitMs`. */
export async function until(what: string, holds: () => boolean | Promise<boolean>, limitMs = 60_000): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`${what}: not within ${limitMs / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
