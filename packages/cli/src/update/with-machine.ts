/** The session of a command that is for agents on this machine alone. */
import type { Invocation } from "../args/command-spec.ts";
import { usageError } from "../errors/cli-error.ts";
import type { Host } from "../host.ts";
import type { MachineScope } from "../scope/agent-scope.ts";
import type { Session, SessionOptions } from "../session.ts";
import { withSession } from "../session.ts";

/** Throws `usage` for a scope on a cluster. */
export function withMachine<T>(
  invocation: Invocation,
  host: Host,
  options: SessionOptions["mode"] | SessionOptions,
  use: (session: Session, machine: MachineScope) => Promise<T>,
): Promise<T> {
  return withSession(invocation, host, typeof options === "string" ? { mode: options } : options, (session) => {
    const { machine } = session.scope;
    if (machine === null)
      throw usageError(`\`moorage ${invocation.command}\` is for agents on this machine`, "leave --on kubernetes out");
    return use(session, machine);
  });
}
