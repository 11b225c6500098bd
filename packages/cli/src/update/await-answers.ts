/** Waits for what becomes of a bundle with each agent that gets it: one live line an agent, and its end. */
import type { Condition, PublishedBundle } from "@moorage/core";
import { exit } from "../errors/exit-code.ts";
import type { Host } from "../host.ts";
import { logTail } from "../log-tail.ts";
import { lookUntil } from "../look-until.ts";
import type { Progress } from "../output/progress.ts";
import type { AgentFacts } from "../scope/agent-scope.ts";
import type { Session } from "../session.ts";
import type { AwaitedBundle, Passage } from "./delivery-words.ts";
import { passageOf } from "./delivery-words.ts";
import { remedy, remedyOfEnd } from "./remedy.ts";
import { mayShowItself } from "./shows-itself.ts";

/** One agent that is given a bundle. */
export interface Recipient {
  readonly agent: string;
  readonly fleet: string;
  readonly instance: string;
  readonly bundle: PublishedBundle;
  /** It has the very same content in use, under another number. */
  readonly sameContent: boolean;
  readonly bakeMs: number;
  /** The declared one that tells it of new files; null: none is. */
  readonly signal: string | null;
}

export type DeliveryOutcome =
  | "confirmed"
  | "unproven"
  | "nextStart"
  | "waiting"
  | "refused"
  | "reverted"
  | "superseded"
  | "ended";

export interface Delivered {
  readonly agent: string;
  readonly fleet: string;
  readonly outcome: DeliveryOutcome;
  readonly bundle: AwaitedBundle;
  readonly sameContent: boolean;
  /** It failed with the bundle and has ended: there was nothing to come back on. */
  readonly lost: boolean;
  readonly condition: Condition | null;
  /** The last lines that it wrote, where it was brought back. */
  readonly log: readonly string[];
  readonly exit: number;
}

const lookMs = 150;

/** The ends in the order of the recipients. `tell` gives the text that takes the place of the live line. */
export async function awaitAnswers(
  recipients: readonly Recipient[],
  deadlineMs: number,
  session: Session,
  progress: Progress,
  host: Host,
  tell: (delivered: Delivered) => string,
): Promise<Delivered[]> {
  const { clock, scope } = session;
  const { interrupt } = host;
  const trialSince = new Map<string, number>();
  const ends = new Map<string, Delivered>();
  for (const { agent } of recipients) progress.begin(agent, "told");
  const lookAtAll = async (late: boolean): Promise<true | null> => {
    const left = recipients.filter(({ agent }) => !ends.has(agent));
    const facts = new Map(
      (await scope.facts(left.map(({ instance }) => instance))).map((one) => [one.name, one] as const),
    );
    for (const recipient of left) {
      const seen = look(
        recipient,
        facts.get(recipient.instance),
        trialSince,
        host.output.terminal ? clock.now() : null,
      );
      if (seen.kind === "underway" && !late) progress.phase(recipient.agent, seen.phase);
      else {
        const delivered = await endOf(recipient, seen, session, host);
        ends.set(recipient.agent, delivered);
        progress.end(recipient.agent, tell(delivered));
      }
    }
    return ends.size === recipients.length ? true : null;
  };
  const times = { clock, signal: interrupt, until: clock.now() + deadlineMs, pauseMs: () => lookMs };
  if (recipients.length > 0) await lookUntil(lookAtAll, times);
  return recipients.flatMap(({ agent }) => ends.get(agent) ?? []);
}

type Seen = Passage | { readonly kind: "ended" };

function look(
  { agent, bundle, bakeMs }: Recipient,
  facts: AgentFacts | undefined,
  trialSince: Map<string, number>,
  at: number | null,
): Seen {
  const process = facts?.process ?? null;
  const since = trialSince.get(agent);
  const trialMs = since === undefined || at === null ? null : at - since;
  const passage = passageOf(process?.delivery ?? null, bundle, { trialMs, bakeMs, now: Date.now() });
  // One line a second is for a screen.
  if (at !== null && passage.kind === "underway" && passage.onTrial && since === undefined) trialSince.set(agent, at);
  const over = process === null || process.supervisor.state === "ended" || process.supervisor.state === "lost";
  if (over && passage.kind === "underway") return { kind: "ended" };
  return passage.kind === "nextStart" && mayShowItself(facts) ? unshown : passage;
}

const unshown: Seen = {
  kind: "underway",
  phase: "staged: has not shown yet whether it tells its turns",
  onTrial: false,
};

async function endOf(
  { agent, fleet, instance, bundle, sameContent, signal }: Recipient,
  seen: Seen,
  session: Session,
  host: Host,
): Promise<Delivered> {
  const { digest, catalogHash, sequence } = bundle;
  const told = { agent, fleet, bundle: { digest, catalogHash, sequence }, sameContent, lost: false, log: [] };
  switch (seen.kind) {
    case "confirmed":
      return { ...told, outcome: seen.unproven ? "unproven" : "confirmed", condition: null, exit: exit.ok };
    case "nextStart":
      return { ...told, outcome: "nextStart", condition: null, exit: exit.ok };
    case "ended":
      return { ...told, outcome: "ended", condition: null, exit: exit.ok };
    case "underway":
      return {
        ...told,
        outcome: "waiting",
        condition: {
          code: "notConfirmed",
          message: `not confirmed yet: ${seen.phase}`,
          hint: `it goes on by itself; \`moorage update status ${agent}\` shows how far it is`,
        },
        exit: exit.notConfirmed,
      };
    case "superseded":
      return {
        ...told,
        outcome: "superseded",
        condition: {
          code: "superseded",
          message: `number ${seen.by} came after it`,
          hint: "look again: `moorage update status`",
        },
        exit: exit.worldMoved,
      };
    case "refused":
    case "reverted": {
      const { kind, code, message, ended: lost } = seen;
      const lines = kind === "reverted" ? await logTail(session, instance) : [];
      return {
        ...told,
        outcome: kind,
        lost,
        condition: { code, message, hint: (lost ? remedyOfEnd : remedy)(seen.why, agent, signal) },
        log: lines.map((line) => host.output.redact(line)),
        exit: exit.refused,
      };
    }
    default:
      return seen satisfies never;
  }
}
