/** One agent's line of status: the decoded observation and the facts beside it, in the words of the contract. */
import type { Startup } from "@moorage/core";
import { describeEnding, moorageProfile, pullWords, readNotes, verify } from "@moorage/core";
import type { DeliveryFacts } from "@moorage/local";
import type { AgentFacts } from "../scope/agent-scope.ts";
import type { KnownAgent } from "../session.ts";

export type AgentState = "running" | "starting" | "ending" | "ended" | "broken" | "cannotTell" | "absent";

export interface AgentStatus {
  readonly agent: string;
  readonly agentId: string | null;
  readonly state: AgentState;
  /** ISO 8601: since when it is in this state; null when nobody recorded it. */
  readonly since: string | null;
  /** Why, where the state alone does not say it. */
  readonly reason: string | null;
  /** Of the declaration, where one was read. */
  readonly fleet: string | null;
  readonly pid: number | null;
  readonly supervisor: { readonly state: string; readonly pid: number | null } | null;
  readonly revives: number;
  /** `names` are those of the oldest in flight. */
  readonly turn: {
    readonly inFlight: number;
    readonly since: string | null;
    readonly names: readonly string[];
    readonly lastAt: string | null;
  } | null;
  readonly catalog: string | null;
  /** Its life with bundles; null where none are delivered to it. */
  readonly delivery: DeliveryFacts | null;
  readonly health: { readonly state: "unknown" | "healthy" | "unhealthy"; readonly since: string | null };
  readonly memoryBytes: number | null;
  readonly cpuMs: number | null;
  readonly startedAt: string | null;
  readonly source: string | null;
  /** The build that runs, and the one that a start would use now, where a declaration was read. */
  readonly buildId: string | null;
  readonly nextBuildId: string | null;
  /** The number that its catalog was edited since, where a declaration was read and it runs. */
  readonly editedSince: number | null;
  /** On a cluster: where it is, and what it runs. */
  readonly node: string | null;
  readonly image: string | null;
}

/** What a declaration adds; all null without one. */
export interface FromDeclaration {
  readonly fleet: string | null;
  readonly nextBuildId: string | null;
  readonly editedSince: number | null;
}

export const undeclared: FromDeclaration = { fleet: null, nextBuildId: null, editedSince: null };

/** Status of an instance that the scope knows. */
export function agentStatus(
  known: KnownAgent,
  facts: AgentFacts | undefined,
  { fleet, nextBuildId, editedSince }: FromDeclaration,
): AgentStatus {
  const { agent, identity, observed } = known;
  const verified = verify(observed, moorageProfile, identity);
  const startup: Startup | null = verified.kind === "verified" ? verified.instance.startup : null;
  const { state, since, reason } = stateOf(known, startup, facts);
  return {
    agent,
    agentId: observed.name,
    state,
    since,
    reason,
    fleet,
    pid: state === "running" || state === "ending" ? (facts?.process?.pid ?? null) : null,
    supervisor: facts?.process?.supervisor ?? null,
    revives: facts?.revives ?? 0,
    turn: facts?.turn ?? null,
    catalog: facts?.catalog ?? null,
    delivery: facts?.process?.delivery ?? null,
    health: facts?.health ?? { state: "unknown", since: null },
    memoryBytes: facts?.memoryBytes ?? null,
    cpuMs: facts?.cpuMs ?? null,
    startedAt: observed.startedAt,
    source: readNotes(observed, moorageProfile).source ?? null,
    buildId: facts?.process?.template.buildId ?? null,
    nextBuildId,
    editedSince: state === "running" && (facts?.process?.delivery ?? null) !== null ? editedSince : null,
    node: facts?.pod?.node ?? null,
    image: facts?.pod?.image ?? null,
  };
}

/** Status of a name that nothing in the scope has. */
export function absentStatus(agent: string, { fleet, nextBuildId }: FromDeclaration): AgentStatus {
  return {
    agent,
    agentId: null,
    state: "absent",
    since: null,
    reason: null,
    fleet,
    pid: null,
    supervisor: null,
    revives: 0,
    turn: null,
    catalog: null,
    delivery: null,
    health: { state: "unknown", since: null },
    memoryBytes: null,
    cpuMs: null,
    startedAt: null,
    source: null,
    buildId: null,
    nextBuildId,
    editedSince: null,
    node: null,
    image: null,
  };
}

interface StateWords {
  readonly state: AgentState;
  readonly since: string | null;
  readonly reason: string | null;
}

function stateOf({ observed }: KnownAgent, startup: Startup | null, facts: AgentFacts | undefined): StateWords {
  const created = facts?.createdAt ?? null;
  if (startup === null) return { state: "cannotTell", since: created, reason: "its marks do not fit its identity" };
  if (startup.kind === "cannotTell") return { state: "cannotTell", since: null, reason: startup.cause.message };
  if (observed.deletion !== null) return { state: "ending", since: observed.deletion.since, reason: null };
  switch (startup.kind) {
    case "started": {
      const stopped = facts?.process?.supervisor.state === "stopped";
      return {
        state: "running",
        since: observed.startedAt,
        reason: stopped ? "its supervisor is stopped (SIGSTOP)" : null,
      };
    }
    case "terminated":
      return { state: "ended", since: startup.ending.at, reason: describeEnding(startup.ending) };
    case "provablyBroken":
      return { state: "broken", since: created, reason: "it can never start" };
    case "pullFailing":
      return {
        state: "broken",
        since: created,
        reason: `its image cannot be pulled: ${pullWords[startup.failure.kind].meaning}`,
      };
    case "interrupted":
    case "recoverable":
      return { state: "starting", since: created, reason: startup.cause.message };
    default:
      return startup satisfies never;
  }
}
