/** The catalog's part of an explanation: the life in words, what its channel has, and the mail that waits. */
import { usualTrial } from "@moorage/core";
import type { DeliveryFacts } from "@moorage/local";
import { reportOf } from "../errors/report.ts";
import type { MachineScope } from "../scope/agent-scope.ts";
import type { Session } from "../session.ts";
import type { ChannelState } from "./channel-state.ts";
import { channelState, nothingKnown } from "./channel-state.ts";
import { heldIn, lifeLines } from "./life-text.ts";
import { remedy } from "./remedy.ts";
import { mailText, waitingMail } from "./waiting-mail.ts";

export interface CatalogExplained {
  readonly lines: readonly string[];
  /** What helps, where something of it is stuck; null: nothing is. */
  readonly advice: string | null;
}

export interface ExplainedAgent {
  readonly agent: string;
  readonly instance: string;
  readonly runs: boolean;
}

export async function explainCatalog(
  { agent, instance, runs }: ExplainedAgent,
  delivery: DeliveryFacts,
  machine: MachineScope,
  session: Session,
): Promise<CatalogExplained> {
  const [facts] = await session.scope.facts([instance]);
  const catalog = facts?.process?.template.catalog ?? null;
  const bakeMs = catalog?.trial?.bakeMs ?? usualTrial.bakeMs;
  const waiting = await waitingMail({ machine }, session, { agent, fleet: delivery.channel.fleet });
  const { channel, fault } = channelOrFault(machine, delivery);
  const lines = lifeLines(delivery, { channel, bakeMs, runs }, Date.now());
  if (fault !== null) lines.push(fault);
  if (waiting > 0) lines.push(mailText(waiting, agent));
  const { published } = channel;
  // What failed and was followed by something better is no news.
  const held = (published === null ? null : heldIn(delivery, published)) ?? (waiting > 0 ? delivery.heldBack[0] : null);
  return { lines, advice: held === undefined || held === null ? null : remedy(held, agent, catalog?.signal ?? null) };
}

/** The life is told all the same. */
function channelOrFault(
  machine: MachineScope,
  delivery: DeliveryFacts,
): { readonly channel: ChannelState; readonly fault: string | null } {
  try {
    return { channel: channelState(machine, delivery.channel), fault: null };
  } catch (error) {
    return { channel: nothingKnown, fault: reportOf(error).message };
  }
}
