/** What waits for a person in the mailbox, in one line. */
import { openMailbox, waitingNotices } from "@moorage/core";
import type { AgentScope } from "../scope/agent-scope.ts";
import type { Session } from "../session.ts";

/** How many notices wait; 0 on a cluster, and where they cannot be read: whoever lists them says why. */
export async function waitingMail(
  { machine }: Pick<AgentScope, "machine">,
  { random }: Pick<Session, "random">,
): Promise<number> {
  if (machine === null) return 0;
  try {
    const { notices } = await openMailbox(machine.documents, random).list();
    return waitingNotices(notices, Date.now()).length;
  } catch {
    return 0;
  }
}

export function mailText(count: number): string {
  return count === 1 ? "1 notice waits: `moorage mailbox`" : `${count} notices wait: \`moorage mailbox\``;
}
