import { expect, it } from "vitest";
import type { CatalogSignal, Kill } from "./end-tree.ts";
import type { ProcessMark } from "./mark.ts";
import type { ProcessEntry, ProcessTable } from "./process-table.ts";
import { signalProcess } from "./signal-process.ts";
import { processTable } from "./system-table.ts";

const mark = { pid: 4_711, start: 100, group: 4_711 } as ProcessMark;

function asked(processes: readonly Partial<ProcessEntry>[] | "unreadable"): {
  readonly sent: unknown[];
  readonly answer: ReturnType<typeof signalProcess>;
} {
  const sent: unknown[] = [];
  const kill: Kill = (pid, signal) => {
    sent.push([pid, signal]);
    return "sent";
  };
  const look: ProcessTable["look"] = async () =>
    processes === "unreadable"
      ? { kind: "unreadable", detail: "-" }
      : { ...(await processTable().look([])), kind: "read", processes: processes as readonly ProcessEntry[] };
  const signal: CatalogSignal = "SIGHUP";
  return { sent, answer: signalProcess({ mark, signal, table: { ...processTable(), look }, kill }) };
}

it("goes to the very process on record, and to it alone", async () => {
  const { sent, answer } = asked([{ pid: 4_711, start: 100 }]);
  expect(await answer).toBe("sent");
  expect(sent).toEqual([[4_711, "SIGHUP"]]);
});

it.each([
  ["another process has its number now", [{ pid: 4_711, start: 101 }], "unproved"],
  ["when it began cannot be read", [{ pid: 4_711, start: null }], "unproved"],
  ["no process can be read", "unreadable", "unproved"],
  ["it is gone", [{ pid: 4_712, start: 100 }], "gone"],
] as const)("is not sent where %s", async (_, processes, expected) => {
  const { sent, answer } = asked(processes);
  expect(await answer).toBe(expected);
  expect(sent).toEqual([]);
});
