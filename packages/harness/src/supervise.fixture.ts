/** A supervisor in a folder of its own, with a record in memory and real processes, for the tests. */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock, Ending } from "@moorage/core";
import { awakeClock } from "./awake-clock.ts";
import { gatedLaunch } from "./launch.ts";
import type { LiveCatalog } from "./live-catalog.ts";
import type { LogWriter } from "./logs/log-writer.ts";
import { machineIdentity } from "./process/machine.ts";
import type { ProcessMark } from "./process/mark.ts";
import { killProcess, processTable } from "./process/system-table.ts";
import type { Look, Record, Recorded } from "./record.ts";
import type { SupervisorSpec } from "./spec.ts";
import type { Supervision, SupervisionEnd } from "./supervise.ts";
import { supervise } from "./supervise.ts";

class MemoryRecord implements Record {
  readonly written: string[] = [];
  /** How often something was to be written, taken or not. */
  asked = 0;
  mark: ProcessMark | null = null;
  ending: Ending | null = null;
  answer: Recorded = { kind: "recorded" };
  seen: Look = { kind: "ours", stop: null };

  spawned(mark: ProcessMark): Recorded {
    if (this.answer.kind === "recorded") this.mark = mark;
    return this.#note("spawned");
  }

  running(): Recorded {
    return this.#note("running");
  }

  ended(ending: Ending): Recorded {
    if (this.answer.kind === "recorded") this.ending = ending;
    return this.#note("ended");
  }

  look(): Look {
    return this.seen;
  }

  #note(what: string): Recorded {
    this.asked += 1;
    if (this.answer.kind === "recorded") this.written.push(what);
    return this.answer;
  }
}

interface Reply {
  readonly status: number;
  readonly body: { readonly [name: string]: unknown };
}

export interface Mooring {
  readonly directory: string;
  readonly spec: SupervisorSpec;
  readonly record: MemoryRecord;
  readonly supervision: Supervision;
  /** Everything that the agent wrote so far. */
  output(): string;
  /** Waits until its output holds the text. */
  says(text: string): Promise<void>;
  /** Waits until its program is recorded as running. */
  runs(): Promise<void>;
  ended(): Promise<Ending>;
  call(method: string, path: string, body?: object): Promise<Reply>;
}

export class Harbour {
  readonly #moorings: Mooring[] = [];
  readonly #directories: string[] = [];

  /** Supervises a script with /bin/sh, or the given command. */
  moor(
    script: string | readonly [string, ...string[]],
    differences: Partial<SupervisorSpec> = {},
    delivered: { readonly catalog: LiveCatalog; readonly clock: Clock } | null = null,
  ): Mooring {
    const directory = realpathSync(mkdtempSync(join(tmpdir(), "h-")));
    this.#directories.push(directory);
    const [command, ...args] = typeof script === "string" ? ["/bin/sh", join(directory, "agent")] : script;
    if (typeof script === "string") writeFileSync(join(directory, "agent"), script);
    const spec: SupervisorSpec = {
      instance: "moorage-test",
      attempt: directory.slice(-6),
      machine: machineIdentity(),
      command: command ?? "",
      args,
      directory,
      env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin" },
      drainMs: 3_000,
      graceMs: 6_000,
      idleMs: null,
      health: { kind: "none" },
      catalogDir: null,
      socketPath: join(directory, "socket"),
      factsPath: join(directory, "facts"),
      ...differences,
    };
    const chunks: Buffer[] = [];
    const log: LogWriter = {
      lostBytes: 0,
      write: (_stream, bytes) => void chunks.push(Buffer.from(bytes)),
      close: () => undefined,
    };
    const record = new MemoryRecord();
    const launch = gatedLaunch({ stdout: join(directory, "stdout"), stderr: join(directory, "stderr") }, log);
    const clock = awakeClock();
    const ports = { record, clock, table: processTable(), kill: killProcess, launch, wallTime: Date.now, ...delivered };
    const supervision = supervise(spec, ports);
    const output = (): string => Buffer.concat(chunks).toString("utf8");
    const mooring: Mooring = {
      directory,
      spec,
      record,
      supervision,
      output,
      says: async (text) =>
        await until(
          () => output().includes(text),
          () => `it says ${text}: ${output()}`,
        ),
      runs: async () =>
        await until(
          () => record.written.includes("running"),
          () => `it runs: ${output()}`,
        ),
      ended: async () => endingOf(await supervision.done),
      call: async (method, path, body) => await call(spec.socketPath, method, path, body),
    };
    this.#moorings.push(mooring);
    return mooring;
  }

  /** Ends all of them and removes their folders. */
  async clear(): Promise<void> {
    for (const { record, supervision } of this.#moorings.splice(0)) {
      record.answer = { kind: "recorded" };
      supervision.stop(0);
      await supervision.done;
    }
    for (const directory of this.#directories.splice(0)) rmSync(directory, { recursive: true, force: true });
  }
}

function endingOf(end: SupervisionEnd): Ending {
  if (end.kind === "ended") return end.ending;
  throw new Error(end.kind === "again" ? `it is to be started again: ${end.why}` : `it is not ours: ${end.detail}`);
}

async function call(socketPath: string, method: string, path: string, body?: object): Promise<Reply> {
  const text = body === undefined ? "" : JSON.stringify(body);
  return await new Promise<Reply>((resolve, reject) => {
    const headers = { "Content-Length": Buffer.byteLength(text) };
    const request = http.request({ socketPath, method, path, headers, agent: false }, (response) => {
      let all = "";
      response.setEncoding("utf8").on("data", (part: string) => (all += part));
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, body: JSON.parse(all) as { readonly [name: string]: unknown } }),
      );
    });
    request.on("error", reject);
    request.end(text);
  });
}

const patienceMs = 10_000;

export async function until(holds: () => boolean, what: () => string): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`not within ${patienceMs} ms: ${what()}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Not a zombie, which only waits to be collected. */
export async function alive(pid: number): Promise<boolean> {
  const scan = await processTable().look([pid]);
  return scan.kind === "read" && scan.processes.some((entry) => entry.pid === pid && entry.state !== "zombie");
}
