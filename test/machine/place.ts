/** The place of one test: a folder, a state directory in it and the real command, run as a person runs it; everything in it ends with the test. */
import type { ChildProcess, StdioOptions } from "node:child_process";
import { spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Seen } from "./processes.ts";
import { agentsBelow, endProcessesBelow, processesBelow } from "./processes.ts";
import { until } from "./until.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** The program and the first argument of every call. */
export const command: readonly [string, string] = [process.execPath, join(root, "packages/cli/bin/moorage.mjs")];

export interface Ran {
  readonly exit: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Milliseconds. */
  readonly ms: number;
}

export interface CallOptions {
  readonly cwd?: string;
  /** Beside, or instead of, what every call gets; undefined takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Options of Node itself. */
  readonly node?: readonly string[];
  /** A user that may do less; only root can become another. */
  readonly uid?: number;
  /** False: the call brings its own `--state`, or none. */
  readonly state?: boolean;
  /** What stands before the program, such as `unshare`. */
  readonly within?: readonly string[];
}

/** A call that still runs. */
export interface Call {
  readonly child: ChildProcess;
  readonly done: Promise<Ran>;
}

/** One agent of any `--json` answer; what a test does not look at is not spelled out. */
export interface Told {
  readonly agent: string;
  readonly agentId: string;
  readonly outcome: string;
  readonly state: string;
  readonly reason: string | null;
  readonly intent: string;
  readonly attempt: string | null;
  readonly pid: number | null;
  readonly startedAt: string | null;
  readonly supervisor: { readonly state: string; readonly pid: number | null } | null;
  readonly condition: { readonly code: string; readonly message: string } | null;
  readonly turn: { readonly inFlight: number; readonly since: string | null } | null;
  readonly health: { readonly state: string };
  readonly source: string | null;
}

export interface Answer {
  readonly kind: string;
  readonly agents: readonly Told[];
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

export class Place implements AsyncDisposable {
  readonly dir: string;
  readonly state: string;
  readonly #atEnd: (() => void | Promise<void>)[] = [];

  /** `state`: somewhere else than in its folder, such as on a small disk. */
  constructor(options: { readonly state?: string } = {}) {
    this.dir = realpathSync(mkdtempSync(join(tmpdir(), "m-")));
    this.state = options.state ?? join(this.dir, "state");
  }

  /** Writes a file, by a path relative to the folder, and gives back its full path. */
  write(name: string, content: string | Uint8Array, mode = 0o644): string {
    const path = join(this.dir, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    chmodSync(path, mode);
    return path;
  }

  /** An `agent.yaml` of one agent; `spec` is YAML, indented by two. */
  declare(name: string, spec: string, file = "agent.yaml"): string {
    return this.write(file, declaration(name, spec));
  }

  start(args: readonly string[], options: CallOptions = {}): Call {
    const began = performance.now();
    const [node, script] = command;
    const words = [...(options.within ?? []), node, ...(options.node ?? []), script, ...this.#withState(args, options)];
    const [program = "", ...rest] = words;
    const stdio: StdioOptions = ["ignore", "pipe", "pipe"];
    const user = options.uid === undefined ? {} : { uid: options.uid, gid: options.uid };
    const child = spawn(program, rest, { cwd: options.cwd ?? this.dir, env: this.env(options.env), stdio, ...user });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    child.stdout?.on("data", (chunk: Buffer) => stdout.push(chunk));
    child.stderr?.on("data", (chunk: Buffer) => stderr.push(chunk));
    const done = new Promise<Ran>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code, signal) =>
        resolve({
          exit: code,
          signal,
          stdout: Buffer.concat(stdout).toString(),
          stderr: Buffer.concat(stderr).toString(),
          ms: performance.now() - began,
        }),
      );
    });
    return { child, done };
  }

  run(args: readonly string[], options: CallOptions = {}): Promise<Ran> {
    return this.start(args, options).done;
  }

  /** With `--json`: the one object on standard output, and nothing beside it. */
  async ask(args: readonly string[], options: CallOptions = {}): Promise<Answer & Ran> {
    const end = args.indexOf("--");
    const at = end === -1 ? args.length : end;
    const ran = await this.run([...args.slice(0, at), "--json", ...args.slice(at)], options);
    let answer: Answer;
    try {
      answer = JSON.parse(ran.stdout) as Answer;
    } catch {
      throw new Error(`no JSON from ${args.join(" ")} (exit ${ran.exit}): ${ran.stdout}\n${ran.stderr}`);
    }
    return { ...ran, ...answer };
  }

  /** `--json` about one agent, with the exit code. */
  async askOne(args: readonly string[], options: CallOptions = {}): Promise<Told & { readonly exit: number | null }> {
    const end = args.indexOf("--");
    const at = end === -1 ? args.length : end;
    const ran = await this.run([...args.slice(0, at), "--json", ...args.slice(at)], options);
    const { agents } = JSON.parse(ran.stdout === "" ? "{}" : ran.stdout) as { agents?: Told[] };
    const [only] = agents ?? [];
    if (only === undefined)
      throw new Error(`nothing about an agent from ${args.join(" ")}: ${ran.stdout}${ran.stderr}`);
    return { ...only, exit: ran.exit };
  }

  /** Deploys without a file; fails the test when it does not start. */
  async deploy(name: string, ...agent: readonly string[]): Promise<Told> {
    return this.mustRun(["deploy", name, "--", ...agent]);
  }

  /** Deploys what is declared. */
  async deployDeclared(...args: readonly string[]): Promise<Told> {
    return this.mustRun(["deploy", ...args]);
  }

  async mustRun(args: readonly string[], options: CallOptions = {}): Promise<Told> {
    const told = await this.askOne(args, options);
    if (told.exit !== 0)
      throw new Error(`${args.join(" ")}: exit ${told.exit}, ${JSON.stringify(told.condition ?? told)}`);
    return told;
  }

  async status(name: string): Promise<Told> {
    return this.askOne(["status", name]);
  }

  /** The environment of a person's shell, and nothing of the test runner's. */
  env(more: Readonly<Record<string, string | undefined>> = {}): NodeJS.ProcessEnv {
    return {
      PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
      HOME: this.dir,
      USER: "somebody",
      LANG: "C.UTF-8",
      TMPDIR: tmpdir(),
      ...more,
    };
  }

  has(name: string): boolean {
    return existsSync(join(this.dir, name));
  }

  remove(name: string): void {
    rmSync(join(this.dir, name), { recursive: true });
  }

  read(name: string): string {
    return readFileSync(join(this.dir, name), "utf8");
  }

  /** The number that an agent wrote into a file; null before it did. */
  number(name: string): number | null {
    return this.has(name) ? Number(this.read(name)) || null : null;
  }

  /** What lives of it at this moment. */
  processes(): Seen[] {
    return processesBelow([this.dir, this.state]);
  }

  /** Fails when an agent's process lives now; then waits until its supervisors, which end after it, are gone too. */
  async atRest(): Promise<void> {
    const agents = agentsBelow(this.dir);
    if (agents.length > 0) throw new Error(`agents live on: ${JSON.stringify(agents)}`);
    await until("the supervisors are gone", () => this.processes().length === 0);
  }

  /** Gives the folder, and what is named in it, to another user. */
  giveTo(uid: number, ...names: readonly string[]): void {
    // The folder of the whole run is the runner's alone; nobody passes through it otherwise.
    chmodSync(dirname(this.dir), statSync(dirname(this.dir)).mode | 0o011);
    for (const name of ["", ...names]) chownSync(join(this.dir, name), uid, uid);
  }

  /** The latest comes first. */
  atEnd(undo: () => void | Promise<void>): void {
    this.#atEnd.unshift(undo);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await endProcessesBelow([this.dir, this.state]);
    for (const undo of this.#atEnd) await undo();
    rmSync(this.dir, { recursive: true, force: true });
  }

  #withState(args: readonly string[], options: CallOptions): string[] {
    if (options.state === false) return [...args];
    const end = args.indexOf("--");
    const at = end === -1 ? args.length : end;
    return [...args.slice(0, at), `--state=${this.state}`, ...args.slice(at)];
  }
}

/** One document of a declaration; `spec` is YAML, indented by two. */
export function declaration(name: string, spec: string): string {
  const lines = spec.trimEnd().split("\n");
  return `apiVersion: moorage.dev/v1alpha1\nkind: Agent\nmetadata: { name: ${name} }\nspec:\n${lines.map((line) => `  ${line}`).join("\n")}\n`;
}
