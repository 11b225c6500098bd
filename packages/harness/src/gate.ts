/**
 * The gate: the agent's process exists and can be put on record before its program runs. It waits for a line on a pipe;
 * at the pipe's end, which is also what remains of a supervisor that was killed, it exits without ever having been the
 * agent.
 */
import type { Duplex } from "node:stream";
import { spawnChild } from "./spawned-child.ts";

const shell = "/bin/sh";
/** `$0` of the gate, which begins every message of the shell's own. */
const gateName = "moorage-gate";
/** What a shell adds to an environment by itself. */
const addedByShells = ["PWD", "OLDPWD", "SHLVL"] as const;

export interface GateRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly directory: string;
  readonly env: Readonly<{ [name: string]: string }>;
  /** Descriptors for its output. They stay the caller's. */
  readonly stdout: number;
  readonly stderr: number;
}

export interface GateExit {
  readonly code: number | null;
  readonly signal: string | null;
}

export interface Gated {
  /** Leader of a session and a group of its own. */
  readonly pid: number;
  /** Lets the agent's program run. */
  open(): void;
  /** The process ends, and was never the agent. */
  close(): void;
  /** Resolves when the gate lets go of its pipe: the exec is next, or the process ended. */
  readonly passed: Promise<void>;
  /** Resolves when the process ended; it is collected then. */
  readonly exited: Promise<GateExit>;
}

export type Spawned =
  | { readonly kind: "spawned"; readonly gated: Gated }
  | { readonly kind: "failed"; readonly detail: string };

export async function spawnGated(request: GateRequest): Promise<Spawned> {
  const words = ["-c", gateScript(request.env), gateName, request.command, ...request.args];
  const spawned = await spawnChild(shell, words, {
    cwd: request.directory,
    env: { ...request.env },
    stdio: ["ignore", request.stdout, request.stderr, "pipe"],
    detached: true,
  });
  if (spawned.kind === "failed") return spawned;
  const { child, pid, exited } = spawned;
  const pipe = child.stdio[3] as Duplex;
  const passed = new Promise<void>((resolve) => {
    pipe.once("close", () => resolve());
  });
  // A gate that is gone already resets the pipe; its exit tells.
  pipe.on("error", () => undefined);
  pipe.resume();
  return {
    kind: "spawned",
    gated: { pid, open: () => void pipe.write("go\n"), close: () => void pipe.destroy(), passed, exited },
  };
}

function gateScript(env: GateRequest["env"]): string {
  const unwanted = addedByShells.filter((name) => !(name in env));
  const unset = unwanted.length === 0 ? "" : `unset ${unwanted.join(" ")}; `;
  return `IFS= read -r go <&3 || exit 125; exec 3<&-; ${unset}exec "$@"`;
}

/**
 * Why the program never ran, from the exit of a gate whose exec nobody saw and the first of what it wrote; null when the
 * program may well have run and was merely quick.
 */
export function gateFailure(exit: GateExit, stderrHead: string): string | null {
  if (exit.code !== 126 && exit.code !== 127) return null;
  const line = stderrHead.split("\n").find((text) => text.startsWith(`${gateName}: `));
  if (line === undefined) return null;
  return line.slice(gateName.length + 2).replace(/^(?:line )?[0-9]+: (?:exec: )?/, "");
}
