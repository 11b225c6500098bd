/** The catalog's part of an explanation: the life in words, what its channel has, and the mail that waits. */
import { usualTrial } from "@moorage/core";
import type { DeliveryFacts } from "@moorage/local";
import { reportOf } from "../errors/report.ts";
import type { MachineScope } from "../scope/agent-scope.ts";
import type { Session } from "../session.ts";
import { channelState } from "./channel-state.ts";
import { lifeLines } from "./life-text.ts";
import { mailText, waitingMail } from "./waiting-mail.ts";

export async function explainCatalog(
  instance: string,
  delivery: DeliveryFacts,
  machine: MachineScope,
  session: Session,
): Promise<readonly string[]> {
  const [facts] = await session.scope.facts([instance]);
  const bakeMs = facts?.process?.template.catalog?.trial?.bakeMs ?? usualTrial.bakeMs;
  const waiting = await waitingMail({ machine }, session);
  return [...sentences(delivery, machine, bakeMs), ...(waiting === 0 ? [] : [mailText(waiting)])];
}

function sentences(delivery: DeliveryFacts, machine: MachineScope, bakeMs: number): string[] {
  const unknown = { published: null, assigned: null, confirmed: null };
  try {
    return lifeLines(delivery, channelState(machine, delivery.channel), bakeMs, Date.now());
  } catch (error) {
    // The life is told all the same.
    return [...lifeLines(delivery, unknown, bakeMs, Date.now()), reportOf(error).message];
  }
}
