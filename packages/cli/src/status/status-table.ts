/** The table of `moorage status`: one line an agent, columns as wide as they have to be. */
import { basename } from "node:path";
import type { Output, Style } from "../output/output.ts";
import { describeDuration } from "../text/duration.ts";
import { shortHash } from "../update/bundle-name.ts";
import { editedText, useCell } from "../update/life-text.ts";
import type { AgentState, AgentStatus } from "./agent-status.ts";

interface Column {
  readonly heading: string;
  readonly cell: (status: AgentStatus, now: number) => string;
  /** Left out where it could say nothing. */
  readonly shown?: (agents: readonly AgentStatus[]) => boolean;
}

/** What the harness beside an agent tells, which nobody hears from inside a pod. */
const onCluster = (agents: readonly AgentStatus[]): boolean => agents.some(({ image }) => image !== null);
const heard = (agents: readonly AgentStatus[]): boolean => !onCluster(agents);

const columns: readonly Column[] = [
  { heading: "AGENT", cell: ({ agent }) => agent },
  { heading: "STATE", cell: ({ state }) => (state === "cannotTell" ? "cannot tell" : state) },
  { heading: "SINCE", cell: ({ since }, now) => ago(since, now) },
  {
    heading: "NODE",
    cell: ({ node }) => node ?? "-",
    shown: onCluster,
  },
  { heading: "TURN", cell: turnCell, shown: heard },
  { heading: "CATALOG", cell: catalogCell, shown: heard },
  { heading: "HEALTH", cell: healthCell, shown: heard },
  { heading: "MEMORY", cell: ({ memoryBytes }) => (memoryBytes === null ? "-" : bytes(memoryBytes)) },
  { heading: "CPU", cell: ({ cpuMs }) => (cpuMs === null ? "-" : describeDuration(cpuMs)), shown: heard },
  { heading: "REVIVES", cell: ({ revives }) => String(revives) },
];

const styles: Readonly<Record<AgentState, Style>> = {
  running: "green",
  starting: "yellow",
  ending: "yellow",
  ended: "dim",
  broken: "red",
  cannotTell: "red",
  absent: "dim",
};

/** The table as lines. `now` in milliseconds since 1970. */
export function statusTable(agents: readonly AgentStatus[], output: Output, now: number): string[] {
  const named = agents.map((status) => toldApart(status, agents));
  const shown = columns.filter(({ shown: needed }) => needed === undefined || needed(agents));
  const headings = shown.map(({ heading }) => heading);
  const rows = named.map((agent) => shown.map(({ cell }) => cell(agent, now)));
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => (row[column] ?? "").length)),
  );
  const line = (row: readonly string[], paint: (cell: string, column: number) => string): string =>
    row
      .map((cell, column) => paint(cell.padEnd(widths[column] ?? 0), column))
      .join("  ")
      .trimEnd();
  return [
    output.style(
      "dim",
      line(headings, (cell) => cell),
    ),
    ...agents.flatMap((agent, index) => {
      const row = line(rows[index] ?? [], (cell, column) =>
        column === 1 ? output.style(styles[agent.state], cell) : cell,
      );
      return [row, ...notesOf(agent).map((note) => `  ${output.style("dim", note)}`)];
    }),
  ];
}

/** What the row has no place for. */
function notesOf({ agent, reason, buildId, nextBuildId, node, editedSince }: AgentStatus): string[] {
  const notes = reason === null ? [] : [`${reason}; \`moorage explain ${agent}\` says more`];
  if (node === null && buildId !== null && nextBuildId !== null && buildId !== nextBuildId)
    notes.push(`runs build ${shortHash(buildId)}, next start ${shortHash(nextBuildId)}`);
  if (editedSince !== null) notes.push(editedText(editedSince));
  return notes;
}

/** Two identities may have recorded one name: then the name alone tells nobody which is meant. */
function toldApart(status: AgentStatus, agents: readonly AgentStatus[]): AgentStatus {
  const { agent, agentId } = status;
  const alone = agentId === null || agents.filter((other) => other.agent === agent).length < 2;
  return alone ? status : { ...status, agent: `${agent} (${agentId})` };
}

/** A turn of an agent that has ended does not go on: it was lost. */
function turnCell({ turn, state }: AgentStatus, now: number): string {
  if (turn === null) return "-";
  if (turn.inFlight === 0) return state === "ended" ? "-" : lastTurn(turn.lastAt, now);
  return state === "ended" ? `${turn.inFlight} lost` : `${turn.inFlight} for ${ago(turn.since, now)}`;
}

/** What is in use of its channel, and what is on its way; without one, the folder. */
function catalogCell({ catalog, delivery }: AgentStatus): string {
  if (delivery !== null) return useCell(delivery);
  return catalog === null ? "-" : basename(catalog);
}

function healthCell({ health }: AgentStatus, now: number): string {
  if (health.state === "unknown") return "-";
  return health.state === "unhealthy" ? `unhealthy ${ago(health.since, now)}` : health.state;
}

function ago(iso: string | null, now: number): string {
  return iso === null ? "-" : describeDuration(Math.max(0, now - Date.parse(iso)));
}

function lastTurn(iso: string | null, now: number): string {
  return iso === null ? "none yet" : `idle ${ago(iso, now)}`;
}

/** Bytes in their largest unit, such as "42 MB". */
export function bytes(count: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, count)) / 3));
  return `${Math.round(count / 1000 ** step)} ${units[step] ?? "B"}`;
}
