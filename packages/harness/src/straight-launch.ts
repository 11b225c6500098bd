/**
 * The launch in a container of the agent's own: no gate, as nothing survives the container that nobody has on record; and
 * no pipe, as the container's output is the agent's. It needs no shell.
 */
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import type { GateExit, GateRequest, Spawned } from "./gate.ts";
import type { Launch } from "./launch.ts";
import type { Output } from "./output.ts";

/** This process's own output, byte for byte: the agent has the very same descriptors. */
const ownOutput: Output = {
  stdout: 1,
  stderr: 2,
  release: () => undefined,
  stderrHead: () => "",
  ended: async () => undefined,
  close: () => undefined,
};

export const straightLaunch: Launch = {
  gated: false,
  outputs: [],
  open: async () => ownOutput,
  spawn: spawnStraight,
  close: () => undefined,
};

async function spawnStraight(request: GateRequest): Promise<Spawned> {
  const { command, args, directory, env, stdout, stderr } = request;
  let child: ChildProcess;
  try {
    child = spawn(command, args, {
      cwd: directory,
      env: { ...env },
      stdio: ["ignore", stdout, stderr],
      detached: true,
    });
  } catch (error) {
    return { kind: "failed", detail: words(error) };
  }
  const exited = new Promise<GateExit>((resolve) => {
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });
  const failed = new Promise<Spawned>((resolve) => {
    child.once("error", (error) => resolve({ kind: "failed", detail: words(error) }));
  });
  const { pid } = child;
  // A spawn tells its number only once the exec has happened.
  if (pid === undefined) return await failed;
  return {
    kind: "spawned",
    gated: {
      pid,
      open: () => undefined,
      close: () => void child.kill("SIGKILL"),
      passed: Promise.resolve(),
      exited,
    },
  };
}

function words(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
