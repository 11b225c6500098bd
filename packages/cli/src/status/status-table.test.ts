import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { Output } from "../output/output.ts";
import type { AgentStatus } from "./agent-status.ts";
import { absentStatus, undeclared } from "./agent-status.ts";
import { statusTable } from "./status-table.ts";

const now = Date.parse("2030-01-31T12:00:10Z");
const since = "2030-01-31T12:00:00Z";
const turn = { inFlight: 1, since, names: ["t1"], lastAt: null };

function row(more: Partial<AgentStatus>): string {
  return table([{ ...absentStatus("a", undeclared), ...more }])[1] ?? "";
}

function table(agents: readonly AgentStatus[]): string[] {
  const stream = new PassThrough() as unknown as NodeJS.WriteStream;
  const options = { json: false, quiet: false, verbose: false, color: false, terminal: false };
  const output = new Output({ stdout: stream, stderr: stream }, options);
  return statusTable(agents, output, now);
}

test("a turn in flight has an age while its agent lives, and was lost once that has ended", () => {
  expect(row({ state: "running", since, turn })).toMatch(/^a +running +10s +1 for 10s +- +- /);
  expect(row({ state: "ending", since, turn })).toMatch(/^a +ending +10s +1 for 10s /);
  expect(row({ state: "ended", since, turn })).toMatch(/^a +ended +10s +1 lost /);
});

test("two identities under one name are told apart, and one alone is called by its name", () => {
  const lines = table([
    { ...absentStatus("one", undeclared), agentId: "moorage-0123", state: "running" },
    { ...absentStatus("one", undeclared), agentId: "moorage-4567", state: "running" },
    { ...absentStatus("two", undeclared), agentId: "moorage-89ab", state: "running" },
  ]);
  expect(lines.slice(1).map((line) => line.split(/ {2,}/)[0])).toEqual([
    "one (moorage-0123)",
    "one (moorage-4567)",
    "two",
  ]);
});

test("an agent that has ended is not idle", () => {
  const idle = { ...turn, inFlight: 0, since: null, names: [], lastAt: since };
  expect(row({ state: "running", since, turn: idle })).toContain("idle 10s");
  expect(row({ state: "ended", since, turn: idle })).toMatch(/^a +ended +10s +- /);
});

test("health is shown where somebody told it", () => {
  expect(row({ state: "running", health: { state: "healthy", since } })).toContain("healthy");
  expect(row({ state: "running", health: { state: "unhealthy", since } })).toContain("unhealthy 10s");
  expect(row({ state: "running" })).not.toContain("unknown");
});
