// Real processes, on Linux: what an agent may start, and what is somebody else's.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { awakeClock } from "../awake-clock.ts";
import { type EndTreeRequest, endTree } from "./end-tree.ts";
import { parseProcStat } from "./linux-stat.ts";
import { linuxProcessTable } from "./linux-table.ts";
import { machineIdentity } from "./machine.ts";
import type { ProcessMark } from "./mark.ts";
import { killProcess } from "./system-table.ts";
import { descendants } from "./tree.ts";

const linux = process.platform === "linux";
const root = linux && process.getuid?.() === 0;
const table = linuxProcessTable();
let directory: string;
let children: ChildProcess[];
let instance: string;
let readers: number[];

beforeEach(() => {
  directory = fs.mkdtempSync(join(tmpdir(), "tree-"));
  instance = `moorage-${directory.slice(-6)}`;
  children = [];
  readers = [];
});

afterEach(async () => {
  // Every script tells its processes' numbers in files of the directory.
  for (const name of fs.readdirSync(directory))
    if (name.startsWith("pid-")) killProcess(told(name.slice(4)), "SIGKILL");
  for (const child of children) killProcess(child.pid ?? 0, "SIGKILL");
  await until(() => children.every(({ exitCode, signalCode }) => exitCode !== null || signalCode !== null));
  for (const reader of readers) fs.closeSync(reader);
  // One that a test let go on may write its number once more.
  fs.rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
});

async function until(condition: () => boolean): Promise<void> {
  await vi.waitFor(() => expect(condition()).toBe(true), { timeout: 5_000, interval: 5 });
}

/** The number that a script has written with `echo $$ > $D/pid-NAME`. */
function told(name: string): number {
  return Number(readable(join(directory, `pid-${name}`)).trim());
}

function readable(path: string): string {
  try {
    return fs.readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function stateOf(pid: number): "alive" | "stopped" | "zombie" | "gone" {
  return parseProcStat(readable(`/proc/${pid}/stat`))?.state ?? "gone";
}

function dead(...names: readonly string[]): boolean {
  return names.every((name) => ["zombie", "gone"].includes(stateOf(told(name))));
}

interface Spawned {
  readonly child: ChildProcess;
  readonly mark: ProcessMark;
}

/** Runs a script as an agent is run: own session, marker, FIFOs for its output. It is ready when these names are told. */
async function agent(script: string, names: readonly string[], uid?: number): Promise<Spawned> {
  const outputs = ["out", "err"].map((name) => join(directory, name));
  execFileSync("mkfifo", outputs);
  // Held open to the end: without a reader a word on stderr would end a shell.
  readers.push(...outputs.map((path) => fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK)));
  const writers = outputs.map((path) => fs.openSync(path, fs.constants.O_WRONLY));
  const child = spawn("/bin/sh", ["-c", script], {
    detached: true,
    stdio: ["ignore", writers[0], writers[1]],
    env: { PATH: process.env["PATH"], D: directory, MOORAGE_INSTANCE: instance, MOORAGE_ATTEMPT: "a0" },
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  children.push(child);
  for (const writer of writers) fs.closeSync(writer);
  const mark = markOf(child.pid ?? 0, outputs);
  await until(() => names.every((name) => told(name) > 0));
  return { child, mark };
}

/** Somebody else's process, in a session of its own. */
async function foreign(script: string, names: readonly string[]): Promise<ChildProcess> {
  const env = { PATH: process.env["PATH"], D: directory };
  const child = spawn("/bin/sh", ["-c", script], { detached: true, stdio: "ignore", env });
  children.push(child);
  await until(() => names.every((name) => told(name) > 0));
  return child;
}

function markOf(pid: number, outputs: readonly string[] = []): ProcessMark {
  const stat = parseProcStat(readable(`/proc/${pid}/stat`));
  if (stat === null) throw new Error("the process is gone");
  const { start, group, session } = stat;
  const recordedAt = "2026-01-01T00:00:00.000Z";
  return { machine: machineIdentity(), pid, start, group, session, instance, attempt: "a0", outputs, recordedAt };
}

async function end(mark: ProcessMark, more: Partial<EndTreeRequest> = {}) {
  const request = {
    mark,
    continuity: "recorded",
    termGraceMs: 2_000,
    table,
    kill: killProcess,
    clock: awakeClock(),
  } as const;
  return endTree({ ...request, ...more });
}

/** Leaves the agent's processes without their leader, as when supervisor and agent were killed. */
async function withoutLeader({ child }: Spawned): Promise<void> {
  child.kill("SIGKILL");
  await until(() => child.signalCode !== null);
}

const forever = "sleep 1000";
const me = (name: string): string => `echo $$ > $D/pid-${name}.new; mv $D/pid-${name}.new $D/pid-${name}`;
const escapes = {
  child: `sh -c '${me("a")}; exec ${forever}' &`,
  session: `setsid sh -c '${me("b")}; exec ${forever}' > /dev/null 2>&1 &`,
  doubleFork: `env -i D=$D setsid sh -c '(sh -c "${me("c").replaceAll("$", "\\$")}; exec ${forever}" &) ' &`,
  bare: `env -i D=$D sh -c '${me("d")}; exec ${forever}' > /dev/null 2>&1 &`,
};

describe.runIf(linux)("what an agent starts is found and ended", () => {
  test("children, own sessions, double forks, empty environments", async () => {
    const { mark } = await agent(`${Object.values(escapes).join("\n")} wait`, ["a", "b", "c", "d"]);
    const result = await end(mark);
    expect(result).toMatchObject({ kind: "ended", killed: 0 });
    expect(dead("a", "b", "c", "d")).toBe(true);
    expect(["gone", "zombie"]).toContain(stateOf(mark.pid));
  });

  test("the same without their leader: by marker and by output", async () => {
    const { child, session, doubleFork } = escapes;
    const spawned = await agent(`${child}${session}${doubleFork} wait`, ["a", "b", "c"]);
    await withoutLeader(spawned);
    expect(dead("a")).toBe(false);
    expect((await end(spawned.mark)).kind).toBe("ended");
    expect(dead("a", "b", "c")).toBe(true);
  });

  test("one without marker and output that keeps the group: by a watching parent, or by a snapshot", async () => {
    for (const known of ["watched", "snapshot"]) {
      const spawned = await agent(`${escapes.bare} wait`, ["d"]);
      const scan = await table.scan(null);
      const kin = scan.kind === "read" ? descendants(scan.processes, spawned.mark) : [];
      await withoutLeader(spawned);
      const alone = await end(spawned.mark);
      expect(alone.kind === "leftovers" && alone.leftovers.map(({ pid, why }) => [pid, why])).toEqual([
        [told("d"), "unproved"],
      ]);
      expect(dead("d")).toBe(false);
      expect((await end(spawned.mark, known === "watched" ? { continuity: "watched" } : { kin })).kind).toBe("ended");
      expect(dead("d")).toBe(true);
      for (const name of ["out", "err", "pid-d"]) fs.rmSync(join(directory, name));
    }
  });

  test("what forks faster than anybody reads", async () => {
    const hop = join(directory, "hop");
    fs.writeFileSync(hop, `#!/bin/sh\ntrap '' TERM\n${me("hop")}\n"$0" &\n`, { mode: 0o755 });
    const { mark } = await agent(`trap '' TERM; "$D/hop" & ${me("l")}; exec ${forever}`, ["hop", "l"]);
    expect((await end(mark, { termGraceMs: 50 })).kind).toBe("ended");
    const scan = await table.scan({ since: mark.start, outputs: mark.outputs });
    const left =
      scan.kind === "read"
        ? scan.processes.filter(({ belonging }) => belonging.kind === "instance" && belonging.instance === instance)
        : [];
    expect(left).toEqual([]);
  });
});

describe.runIf(linux)("how it ends", () => {
  test("done is when the whole group is empty, not when its leader is", async () => {
    const slow = `trap 'sleep 0.3; echo done > $D/done; exit' TERM; ${me("a")}; while :; do sleep 0.02; done`;
    const { mark } = await agent(`sh -c "${slow.replaceAll("$", "\\$")}" & ${me("l")}; exec ${forever}`, ["a", "l"]);
    expect(await end(mark)).toMatchObject({ kind: "ended", killed: 0 });
    expect(dead("a", "l")).toBe(true);
    expect(readable(join(directory, "done"))).toBe("done\n");
  });

  test("what ignores TERM is killed at the grace, and not before", async () => {
    const { mark } = await agent(`trap '' TERM; ${me("a")}; ${forever} & wait; while :; do sleep 1; done`, ["a"]);
    const before = performance.now();
    const result = await end(mark, { termGraceMs: 300 });
    expect(performance.now() - before).toBeGreaterThanOrEqual(295);
    expect(result.kind === "ended" && result.killed).toBeGreaterThanOrEqual(1);
    expect(dead("a")).toBe(true);
  });

  test("a hurry ends the grace", async () => {
    const { mark } = await agent(`trap '' TERM; ${me("a")}; while :; do sleep 0.1; done`, ["a"]);
    const hurry = new AbortController();
    const ending = end(mark, { termGraceMs: 60_000, hurry: hurry.signal });
    hurry.abort();
    expect((await ending).kind).toBe("ended");
    expect(dead("a")).toBe(true);
  });

  test("a stopped one gets CONT with its TERM and ends gracefully", async () => {
    const { mark } = await agent(
      `trap 'echo done > $D/done; exit' TERM; ${me("a")}; kill -STOP $$; while :; do sleep 0.02; done`,
      ["a"],
    );
    await until(() => stateOf(mark.pid) === "stopped");
    expect(await end(mark)).toMatchObject({ kind: "ended", killed: 0 });
    expect(readable(join(directory, "done"))).toBe("done\n");
  });

  test("a zombie that nobody collects is dead", async () => {
    const leader = `MOORAGE_INSTANCE=${instance} MOORAGE_ATTEMPT=a0 setsid sh -c '${me("z")}; exec sleep 0.2' &`;
    const lazy = await foreign(`${leader} ${me("p")}; exec ${forever}`, ["z", "p"]);
    const mark = markOf(told("z"));
    await until(() => stateOf(told("z")) === "zombie");
    expect(await end(mark)).toEqual({ kind: "ended", ended: [], killed: 0 });
    expect(stateOf(lazy.pid ?? 0)).toBe("alive");
  });

  test("nothing there is an end too", async () => {
    const spawned = await agent(`${me("a")}; exec ${forever}`, ["a"]);
    await withoutLeader(spawned);
    expect(await end(spawned.mark)).toEqual({ kind: "ended", ended: [], killed: 0 });
  });
});

describe.runIf(linux)("what is somebody else's lives on", () => {
  test.each([
    ["older", -1_000],
    ["younger", 1],
  ])("a record with the number of a living process that is not the %s one on record", async (_how, ticks) => {
    const other = await foreign(`${me("a")}; ${forever} & echo $! > $D/pid-b; wait`, ["a", "b"]);
    const mark = markOf(other.pid ?? 0);
    expect(await end({ ...mark, start: mark.start + ticks })).toEqual({ kind: "ended", ended: [], killed: 0 });
    expect(dead("a", "b")).toBe(false);
  });

  test("a group whose number is another's by now, and whose leader is gone", async () => {
    const other = await foreign(`${forever} & echo $! > $D/pid-b; ${me("a")}; wait`, ["a", "b"]);
    const mark = markOf(other.pid ?? 0);
    other.kill("SIGKILL");
    await until(() => other.signalCode !== null);
    const result = await end({ ...mark, start: mark.start - 1_000 });
    expect(result.kind === "leftovers" && result.leftovers.map(({ why }) => why)).toEqual(["unproved"]);
    expect(dead("b")).toBe(false);
  });

  test("another agent that this one has started", async () => {
    const nested = `MOORAGE_INSTANCE=moorage-other setsid sh -c '${me("n")}; exec ${forever}' &`;
    const { mark } = await agent(`${nested} ${me("l")}; wait`, ["n", "l"]);
    expect((await end(mark)).kind).toBe("ended");
    expect([dead("l"), dead("n")]).toEqual([true, false]);
  });

  test("the process that looks, even when the record is about it", async () => {
    const kill = vi.fn(killProcess);
    expect((await end(markOf(process.pid), { kill })).kind).not.toBe("cannotTell");
    expect(kill.mock.calls.map(([pid]) => pid)).not.toContain(process.pid);
  });

  test("a record of before the restart, of another namespace, of another machine", async () => {
    const { mark } = await agent(`${me("a")}; exec ${forever}`, ["a"]);
    const of = (more: Partial<ProcessMark["machine"]>) => end({ ...mark, machine: { ...mark.machine, ...more } });
    expect(await of({ bootId: "other" })).toEqual({ kind: "ended", ended: [], killed: 0 });
    expect((await of({ pidNamespace: "pid:[1]" })).kind).toBe("cannotTell");
    expect((await of({ machineId: "other" })).kind).toBe("cannotTell");
    expect(dead("a")).toBe(false);
  });
});

describe("what may not be signalled", () => {
  test.runIf(root)("is named with its command, and lives", async () => {
    const { mark } = await agent(`${me("a")}; exec ${forever}`.replaceAll("$D", "/dev/null; true "), [], 65_533);
    await until(() => readable(`/proc/${mark.pid}/cmdline`).startsWith("sleep"));
    process.seteuid?.(65_534);
    const result = await end(mark).finally(() => process.seteuid?.(0));
    expect(result).toEqual({
      kind: "leftovers",
      leftovers: [{ pid: mark.pid, command: forever, why: "notPermitted", reason: "it is the process on record" }],
    });
    expect(stateOf(mark.pid)).toBe("alive");
  });

  test.runIf(linux)("what does not die is told after its time", async () => {
    const { mark } = await agent(`${me("a")}; exec ${forever}`, ["a"]);
    const result = await end(mark, { termGraceMs: 0, killGraceMs: 50, kill: () => "sent" });
    expect(result.kind === "leftovers" && result.leftovers.map(({ why }) => why)).toEqual(["undead"]);
  });
});

test("numbers that mean everybody or the caller's own group are never signalled", () => {
  for (const pid of [0, 1, -1, 0.5, Number.NaN]) expect(killProcess(pid, "SIGCONT")).toBe("denied");
});

test.runIf(linux)("memory and time of several trees in one pass", async () => {
  const one = await agent(`${escapes.child} ${me("l")}; wait`, ["a", "l"]);
  await vi.waitFor(async () => expect((await table.usage([one.mark.pid])).get(one.mark.pid)?.processes).toBe(2));
  const usage = await table.usage([one.mark.pid, process.pid, 2 ** 22 + 1]);
  expect([...usage.keys()]).toEqual([one.mark.pid, process.pid]);
  const mine = usage.get(process.pid);
  const { rss } = process.memoryUsage();
  expect(mine?.residentBytes).toBeGreaterThan(rss / 2);
  expect(mine?.cpuSeconds).toBeGreaterThan(process.cpuUsage().user / 2_000_000);
});
