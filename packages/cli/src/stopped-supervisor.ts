/** A wait that nobody will end: the supervisor is stopped (SIGSTOP), holds its lock and answers nobody. */
import type { Condition } from "@moorage/core";
import type { Session } from "./session.ts";

/** What to tell in place of "not confirmed"; null when its supervisor is not stopped, or that cannot be seen. */
export async function stoppedSupervisor(session: Session, agentId: string): Promise<Condition | null> {
  try {
    const [facts] = await session.scope.facts([agentId]);
    if (facts?.supervisor.state !== "stopped") return null;
    const { pid } = facts.supervisor;
    return {
      code: "supervisorStopped",
      message: `its supervisor, process ${pid ?? "?"}, is stopped (SIGSTOP) and answers nobody`,
      hint: `run \`kill -CONT ${pid ?? "PID"}\`; whatever was asked for is carried out then`,
    };
  } catch {
    // The answer that there is stands.
    return null;
  }
}
