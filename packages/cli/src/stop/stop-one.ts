/** Stops one agent that the scope knows, and puts what came of it into the words of the contract. */
import type { ActionTaken, Condition, Identity, Journal } from "@moorage/core";
import { instanceName, moorageProfile, stopAgent } from "@moorage/core";
import { exitOfError, exitOfOutcome } from "../errors/exit-code.ts";
import { reportOf } from "../errors/report.ts";
import type { Session } from "../session.ts";

/** Whom to stop: by the identity that its instance carries, or, when there is none, by the name alone. */
export interface StopTarget {
  readonly agent: string;
  readonly identity: Identity;
  readonly graceMs: number;
  /** Of a name that nothing here has: the one that is there and close to it. */
  readonly meant?: string | undefined;
  /** The call comes from inside it: it is asked, and nobody waits. */
  readonly inside: boolean;
}

export interface StopOptions {
  /** Milliseconds; null: its grace and some more. */
  readonly deadlineMs: number | null;
  readonly now: boolean;
  readonly purge: boolean;
}

export interface StopResult {
  readonly agent: string;
  readonly agentId: string;
  readonly scope: string;
  /** `accepted`: it was asked from inside itself, and ends after this turn. */
  readonly outcome: "stopped" | "nothing" | "accepted" | "notConfirmed" | "reported" | "refused" | "worldMoved";
  readonly condition: Condition | null;
  readonly purged: boolean;
  readonly actions: readonly ActionTaken[];
  readonly requests: number;
  readonly elapsedMs: number;
  readonly exit: number;
}

/** What a stop that must not wait shortens the grace to, in milliseconds. */
const shortGraceMs = 2_000;
/** Beyond the grace: until everything of it is seen gone. */
const marginMs = 30_000;

/** Never rejects: a fault is an outcome too, so that the others are told. */
export async function stopOne(
  target: StopTarget,
  options: StopOptions,
  session: Session,
  journal: Journal,
  signal: AbortSignal,
): Promise<StopResult> {
  const { scope, clock, random } = session;
  const { agent, identity, graceMs, inside, meant } = target;
  const agentId = instanceName(moorageProfile, identity);
  const began = clock.now();
  const elapsed = (): number => Math.round(clock.now() - began);
  try {
    if (options.now) await scope.setStopGrace(agentId, shortGraceMs);
    const deadlineMs = inside ? 0 : (options.deadlineMs ?? (options.now ? shortGraceMs : graceMs) + marginMs);
    const stopped = await stopAgent(
      { agent, identity, profile: moorageProfile, deadlineMs },
      { substrate: scope.substrate, clock, random, journal, signal },
    );
    const { actions, requests } = stopped;
    const told = { agent, agentId, scope: stopped.scope, actions, requests };
    if (inside && stopped.outcome === "notConfirmed")
      return { ...told, outcome: "accepted", condition: null, purged: false, elapsedMs: elapsed(), exit: 0 };
    const over = stopped.outcome === "stopped" || stopped.outcome === "nothing";
    const purged = over && options.purge && (await scope.purge(agentId)) === "purged";
    const outcome = stopped.outcome === "interrupted" ? "notConfirmed" : stopped.outcome;
    const exit = exitOfOutcome(stopped.outcome);
    if (outcome === "nothing" && meant !== undefined)
      return { ...told, outcome, condition: nothingOf(agent, meant), purged, elapsedMs: elapsed(), exit };
    const helpless = outcome === "notConfirmed" ? await scope.whyWaiting(agentId) : null;
    return { ...told, outcome, condition: helpless ?? stopped.condition, purged, elapsedMs: elapsed(), exit };
  } catch (error) {
    const { code, message, hint } = reportOf(error);
    return {
      agent,
      agentId,
      scope: scope.substrate.scope,
      outcome: "refused",
      condition: { code, message, hint },
      purged: false,
      actions: [],
      requests: 0,
      elapsedMs: elapsed(),
      exit: exitOfError(code),
    };
  }
}

/** A stop of nothing is success; who mistyped a name is to see that the other one goes on. */
function nothingOf(agent: string, meant: string): Condition {
  return { code: "noSuchAgent", message: `no agent ${agent} is here`, hint: `did you mean \`moorage stop ${meant}\`?` };
}

/** One agent of a `StopResult`. */
export function stopJson({ exit: _, condition, ...rest }: StopResult): object {
  return { ...rest, condition: condition === null ? null : { code: condition.code, message: condition.message } };
}
