/** The table of `moorage status`: one line an agent, columns as wide as they have to be. */
import { basename } from "node:path";
import type { Output, Style } from "../output/output.ts";
import { describeDuration } from "../text/duration.ts";
import type { AgentState, AgentStatus } from "./agent-status.ts";

const headings = ["AGENT", "STATE", "SINCE", "TURN", "CATALOG", "HEALTH", "MEMORY", "CPU", "REVIVES"] as const;

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
  const rows = agents.map((agent) => cells(agent, now));
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
      return agent.reason === null
        ? [row]
        : [row, `  ${output.style("dim", `${agent.reason}; \`moorage explain ${agent.agent}\` says more`)}`];
    }),
  ];
}

function cells(status: AgentStatus, now: number): string[] {
  return [
    status.agent,
    status.state === "cannotTell" ? "cannot tell" : status.state,
    ago(status.since, now),
    turnCell(status, now),
    status.catalog === null ? "-" : basename(status.catalog),
    healthCell(status, now),
    status.memoryBytes === null ? "-" : bytes(status.memoryBytes),
    status.cpuMs === null ? "-" : describeDuration(status.cpuMs),
    String(status.revives),
  ];
}

/** A turn of an agent that has ended does not go on: it was lost. */
function turnCell({ turn, state }: AgentStatus, now: number): string {
  if (turn === null) return "-";
  if (turn.inFlight === 0) return state === "ended" ? "-" : lastTurn(turn.lastAt, now);
  return state === "ended" ? `${turn.inFlight} lost` : `${turn.inFlight} for ${ago(turn.since, now)}`;
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
