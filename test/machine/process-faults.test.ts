/** Every row of the table about agents and supervisors that misbehave: how the command that meets it ends, and what remains. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ProcessFault } from "./fault-table.ts";
import { processFaults } from "./fault-table.ts";
import type { Told } from "./place.ts";
import { Place } from "./place.ts";
import { alive, signal, stateOf, untilDead } from "./processes.ts";
import { until } from "./until.ts";

const megabytes = 10;

/** What each of them runs: a program for `sh -c`, with the place's folder as $1. */
const programs: Readonly<Record<ProcessFault["condition"], string>> = {
  supervisorStopped: "exec sleep 600",
  agentStopped: 'trap "echo gracefully; exit 0" TERM; while :; do sleep 0.05 & wait $!; done',
  ignoresTerm: 'trap "" TERM; while :; do sleep 1; done',
  exitsAtOnce: "echo its last words >&2; exit 3",
  exitsAtOnceWithZero: "exit 0",
  forksAndExits: 'setsid sleep 600 & echo $! >"$1/child"; sleep 0.3; exit 0',
  fillsItsLog:
    'n=0; while [ $n -lt 400000 ]; do n=$((n+1)); echo "line $n of a program that never stops talking"; done; exec sleep 600',
  invalidUtf8: "printf 'before \\377\\376 after\\n'; exec sleep 600",
  noNewline: `head -c ${megabytes << 20} /dev/zero | tr '\\0' x; echo; echo done; exec sleep 600`,
  openTurns: 'exec node "$1/turns.mjs"',
};

/** 10,000 turns over kept connections, none of them ended; says how many it got. */
const turns = `
import { Agent, request } from "node:http";
const agent = new Agent({ keepAlive: true, maxSockets: 16 });
const begin = () => new Promise((resolve) => {
  const call = request({ agent, socketPath: process.env.MOORAGE_SOCKET, method: "POST", path: "/v1/turns" }, (answer) => {
    answer.resume();
    answer.on("end", () => resolve(answer.statusCode));
  });
  call.on("error", () => resolve(0));
  call.end("{}");
});
const counts = {};
const worker = async (left) => { for (; left > 0; left -= 1) { const status = await begin(); counts[status] = (counts[status] ?? 0) + 1; } };
await Promise.all(Array.from({ length: 16 }, () => worker(625)));
console.log("turns " + JSON.stringify(counts));
setInterval(() => {}, 1000);
`;

/** What is done to it once it runs, and what more must hold then; without an entry the table says it all. */
const acts: Partial<Record<ProcessFault["condition"], (place: Place, running: Told) => Promise<void>>> = {
  async supervisorStopped(_, { supervisor }) {
    signal(supervisor!.pid!, "SIGSTOP");
    await until("it is stopped", () => stateOf(supervisor!.pid!) === "T");
  },
  async agentStopped(_, { pid }) {
    signal(pid!, "SIGSTOP");
    await until("it is stopped", () => stateOf(pid!) === "T");
  },
  async openTurns(place) {
    await until(
      "it has tried 10,000 turns",
      async () => (await place.run(["logs", "a"])).stdout.includes("turns {"),
      60_000,
    );
    const { turn } = await place.status("a");
    expect(turn?.inFlight).toBe(1_000);
  },
  async fillsItsLog(place) {
    await until("it has written its last line", async () => (await tail(place)).includes("line 400000 of"), 60_000);
  },
  async noNewline(place) {
    await until("it is done", async () => (await tail(place)).includes("done"), 60_000);
  },
  async invalidUtf8(place) {
    await until("it has written", async () => (await tail(place)).includes("after"));
  },
};

const afterwards: Partial<
  Record<ProcessFault["condition"], (place: Place, running: Told, stdout: string) => Promise<void>>
> = {
  async supervisorStopped(place, { supervisor, pid }) {
    const told = await place.status("a");
    expect(told.supervisor).toEqual({ state: "stopped", pid: supervisor!.pid });
    const again = await place.askOne(["deploy", "a", "--deadline=1s", "--", ...commandOf("supervisorStopped", place)]);
    expect(again.exit).not.toBe(5);
    expect(alive(pid!)).toBe(true);
    signal(supervisor!.pid!, "SIGCONT");
    await untilDead(pid!);
  },
  async agentStopped(place) {
    // It could act on its SIGTERM: a SIGCONT came with it.
    expect((await place.run(["logs", "a", "--previous"])).stdout).toContain("gracefully");
  },
  async forksAndExits(place) {
    const child = Number(readFileSync(join(place.dir, "child"), "utf8"));
    expect(alive(child)).toBe(false);
  },
  async invalidUtf8(_, __, stdout) {
    expect(stdout).toBe("before \ufffd\ufffd after\n");
  },
  async fillsItsLog(_, __, stdout) {
    const lines = stdout.trimEnd().split("\n");
    const numbers = lines.map((line) => Number(/^line (\d+) of a program that never stops talking$/.exec(line)?.[1]));
    // What rotation took away is the beginning; from there on each line is there once and whole.
    expect(numbers.at(-1)).toBe(400_000);
    expect(numbers.every((number, index) => index === 0 || number === numbers[index - 1]! + 1)).toBe(true);
  },
  async noNewline(_, __, stdout) {
    expect(stdout.replaceAll("\n", "").replace(/[^x]/g, "")).toHaveLength(megabytes << 20);
  },
};

describe.concurrent("an agent", () => {
  for (const row of processFaults)
    it(`${row.input}: ${row.command} ends with ${row.exit} ${row.code}`, async () => {
      await using place = new Place();
      place.write("turns.mjs", turns);
      const agent = commandOf(row.condition, place);
      place.declare("a", `run: { command: ${JSON.stringify(agent)} }\ndrain: 1s\ngrace: 2s`);
      const started = await place.askOne(["deploy", ...(row.command === "deploy" ? ["--settle=5s"] : [])]);
      if (row.command === "deploy")
        expect({ exit: started.exit, code: started.condition?.code }).toEqual({ exit: row.exit, code: row.code });
      else expect({ exit: started.exit, outcome: started.outcome }).toEqual({ exit: 0, outcome: "started" });
      const running = await place.status("a");
      await acts[row.condition]?.(place, running);
      const stdout = row.command === "deploy" ? "" : await meet(place, row);
      await afterwards[row.condition]?.(place, running, stdout);
      if (row.remains === "nothing") await place.atRest();
      if (row.command === "logs") expect(alive(running.pid!)).toBe(true);
    });
});

async function meet(place: Place, row: ProcessFault): Promise<string> {
  if (row.command === "logs") {
    const { exit, stdout } = await place.run(["logs", "a"]);
    expect(exit).toBe(row.exit);
    return stdout;
  }
  const late = row.condition === "supervisorStopped" ? ["--deadline=1s"] : [];
  const told = await place.askOne(["stop", "a", ...late]);
  expect({ exit: told.exit, outcome: told.outcome }).toEqual({ exit: row.exit, outcome: row.code });
  return "";
}

function commandOf(condition: ProcessFault["condition"], place: Place): string[] {
  return ["sh", "-c", programs[condition], "sh", place.dir];
}

async function tail(place: Place): Promise<string> {
  return (await place.run(["logs", "a", "--tail=1"])).stdout;
}
