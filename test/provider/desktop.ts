/** A client as a desktop is one: starts the built provider with next to no environment in an empty folder, and keeps every rule of the protocol against it. */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { bundleProvider } from "../../scripts/bundle.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

export interface Desktop {
  /** The provider, in a folder that belongs to no package. */
  readonly program: string;
  /** The user's home folder: nothing is in it. */
  readonly home: string;
  /** An empty folder, from which providers are started. */
  readonly elsewhere: string;
  readonly env: Readonly<Record<string, string>>;
  start(options?: StartOptions): Running;
  /** One request, from the start to the end of the process. */
  ask(request: unknown, options?: StartOptions): Promise<Ended>;
  close(): void;
}

interface StartOptions {
  /** In the place of the usual environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** For Node, before the program. */
  readonly nodeArgs?: readonly string[];
  readonly cwd?: string;
  /** In the place of the built provider. */
  readonly program?: string;
}

export interface Running {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  kill(signal: NodeJS.Signals): void;
  /** What it has written to standard error so far. */
  told(): string;
  readonly ended: Promise<Ended>;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: Buffer;
  readonly stderr: string;
  /** The code of the fault that writing the request ended with, or null. */
  readonly writing: string | null;
}

export async function openDesktop(): Promise<Desktop> {
  const folder = mkdtempSync(join(tmpdir(), "desktop-"));
  const [program, home, elsewhere] = ["programs/buzz-backend-moorage", "home", "elsewhere"].map((name) =>
    join(folder, name),
  ) as [string, string, string];
  for (const directory of [home, elsewhere]) mkdirSync(directory);
  await bundleProvider(root, program);
  writeFileSync(join(folder, "programs", "package.json"), "{}");
  // TMPDIR tells whose process it is to whoever looks for those that are left.
  const env = { PATH: "/usr/bin:/bin", HOME: home, TMPDIR: tmpdir() };
  const start = (options: StartOptions = {}): Running =>
    startProcess(
      [...(options.nodeArgs ?? []), options.program ?? program],
      options.env ?? env,
      options.cwd ?? elsewhere,
    );
  return {
    program,
    home,
    elsewhere,
    env,
    start,
    ask(request, options) {
      const running = start(options);
      running.stdin.end(bytesOf(request));
      return running.ended;
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Arguments for a Node that is to think that it is an old one. */
export const pretendOld: readonly string[] = [
  "--import",
  `data:text/javascript,${encodeURIComponent('Object.defineProperty(process.versions,"node",{value:"20.1.2"})')}`,
];

function bytesOf(request: unknown): Buffer {
  if (Buffer.isBuffer(request)) return request;
  return Buffer.from(typeof request === "string" ? request : JSON.stringify(request));
}

function startProcess(args: readonly string[], env: Readonly<Record<string, string>>, cwd: string): Running {
  const child = spawn(process.execPath, args, { env, cwd, stdio: ["pipe", "pipe", "pipe"] });
  const pieces: Buffer[] = [];
  let [stderr, writing]: [string, string | null] = ["", null];
  child.stdout.on("data", (piece: Buffer) => pieces.push(piece));
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  child.stdin.on("error", (error: NodeJS.ErrnoException) => {
    writing = error.code ?? error.message;
  });
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => {
      resolve({ code, signal, stdout: Buffer.concat(pieces), stderr, writing });
    });
  });
  return {
    pid: child.pid ?? 0,
    stdin: child.stdin,
    stdout: child.stdout,
    stderr: child.stderr,
    kill: (signal) => void child.kill(signal),
    told: () => stderr,
    ended,
  };
}

export type Answered = { readonly ok: boolean; readonly error?: string; readonly agent_id?: string };

const longestStdout = 1_000_000;
const longestStderr = 64_000;

/**
 * The answer of a process that has given one, held against the protocol: exit code 0, one JSON object on one line and
 * nothing else, within its bounds, and no secret anywhere. Throws what is wrong.
 */
export function answerOf(ended: Ended, secrets: readonly string[] = []): Answered {
  const text = new TextDecoder("utf-8", { fatal: true }).decode(ended.stdout);
  const wrong = [
    ended.code === 0 ? null : `it ended with ${ended.signal ?? ended.code}`,
    ended.writing === null ? null : `whoever wrote the request was cut off: ${ended.writing}`,
    /^\{[^\n]*\}\n$/.test(text) ? null : "not one object on one line",
    ended.stdout.length < longestStdout ? null : `${ended.stdout.length} bytes on standard output`,
    Buffer.byteLength(ended.stderr) < longestStderr ? null : "too much on standard error",
    /\n\s+at /.test(ended.stderr) ? "a stack trace on standard error" : null,
    // Escaped, as a text stands in JSON, too.
    ...secrets.flatMap((secret) =>
      [secret, JSON.stringify(secret).slice(1, -1)].some((form) => text.includes(form) || ended.stderr.includes(form))
        ? [`a secret is told: ${secret.slice(0, 8)}`]
        : [],
    ),
  ].filter((one) => one !== null);
  if (wrong.length > 0)
    throw new Error(`${wrong.join("; ")}\nstdout: ${text.slice(0, 400)}\nstderr: ${ended.stderr.slice(0, 400)}`);
  const answer = JSON.parse(text) as Answered;
  if (typeof answer.ok !== "boolean" || (!answer.ok && (answer.error ?? "") === ""))
    throw new Error(`no answer of the protocol: ${text.slice(0, 400)}`);
  return answer;
}

/** The text of a refusal. Throws for anything else. */
export function refusalOf(ended: Ended, secrets: readonly string[] = []): string {
  const { ok, error } = answerOf(ended, secrets);
  if (ok || error === undefined) throw new Error("it was not refused");
  return error;
}
