/** Talks to the user's own service manager: is it there, does it take the unit, does it outlive the login. */
import { spawnSync } from "node:child_process";

export interface Ran {
  readonly ok: boolean;
  /** What it said, in one line. */
  readonly detail: string;
  readonly output: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Milliseconds that a manager may take for an answer. */
const patienceMs = 20_000;

export function ask(env: Environment, program: string, ...args: string[]): Ran {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: "utf8",
    timeout: patienceMs,
    env: { ...env },
  });
  const said = (stderr || stdout || error?.message || "no answer").trim().split("\n")[0] ?? "";
  return { ok: status === 0, detail: said, output: stdout ?? "" };
}

/** Why no systemd user manager can be reached; null when one can. */
export function systemdFault(env: Environment): string | null {
  const answer = ask(env, "systemctl", "--user", "show-environment");
  return answer.ok ? null : answer.detail;
}

/** Whether the user's processes outlive the last login; null when that cannot be told. */
export function lingers(env: Environment): boolean | null {
  const answer = ask(env, "loginctl", "show-user", env["USER"] ?? "", "--property=Linger");
  const value = /Linger=(yes|no)/.exec(answer.output)?.[1];
  return value === undefined ? null : value === "yes";
}
