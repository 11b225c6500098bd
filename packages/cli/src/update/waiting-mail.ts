/** What waits for a person in the mailbox, in one line. */
import type { Notice } from "@moorage/core";
import { openMailbox, waitingNotices } from "@moorage/core";
import type { AgentScope } from "../scope/agent-scope.ts";
import type { Session } from "../session.ts";

/** Whose notices: those of an agent, with those of its fleet. */
export interface AboutAgent {
  readonly agent: string;
  readonly fleet: string;
}

/** How many notices wait, of all or of one agent; 0 on a cluster, and where they cannot be read: whoever lists them says why. */
export async function waitingMail(
  { machine }: Pick<AgentScope, "machine">,
  { random }: Pick<Session, "random">,
  about: AboutAgent | null = null,
): Promise<number> {
  if (machine === null) return 0;
  try {
    const { notices } = await openMailbox(machine.documents, random).list();
    const isMeant = ({ subject }: Pick<Notice, "subject">): boolean =>
      about === null || subject.name === (subject.kind === "agent" ? about.agent : about.fleet);
    return waitingNotices(notices, Date.now()).filter(isMeant).length;
  } catch {
    return 0;
  }
}

/** `about`: whose they are, where they are not everybody's. */
export function mailText(count: number, about: string | null = null): string {
  const whose = about === null ? "" : ` about ${about}`;
  return `${count === 1 ? `1 notice${whose} waits` : `${count} notices${whose} wait`}: \`moorage mailbox\``;
}
