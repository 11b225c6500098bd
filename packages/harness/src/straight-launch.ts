/**
 * The launch in a container of the agent's own: no gate, as nothing survives the container that nobody has on record; and
 * no pipe, as the container's output is the agent's. It needs no shell.
 */
import type { GateRequest, Spawned } from "./gate.ts";
import type { Launch } from "./launch.ts";
import type { Output } from "./output.ts";
import { spawnChild } from "./spawned-child.ts";

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
  const spawned = await spawnChild(command, args, {
    cwd: directory,
    env: { ...env },
    stdio: ["ignore", stdout, stderr],
    detached: true,
  });
  if (spawned.kind === "failed") return spawned;
  const { child, pid, exited } = spawned;
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
