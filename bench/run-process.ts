// Runs whole processes and tells how long each took, from before it was spawned until it was gone.
import { spawn } from "node:child_process";

export type CommandLine = readonly [string, ...string[]];

export interface RunOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly cwd?: string;
  /** What it reads from its standard input; absent: nothing. */
  readonly input?: string;
}

/** What a process wrote to its standard output, and the milliseconds that it took. Throws for any exit code but 0. */
export async function run(
  [program, ...args]: CommandLine,
  { env, signal, cwd = "/", input }: RunOptions,
): Promise<{ readonly ms: number; readonly stdout: string }> {
  signal.throwIfAborted();
  const began = performance.now();
  const stdin = input === undefined ? "ignore" : "pipe";
  const child = spawn(program, args, { cwd, env, signal, stdio: [stdin, "pipe", "pipe"] });
  child.stdin?.end(input);
  let [stdout, stderr, ms] = ["", "", 0];
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const ended = Promise.withResolvers<number | NodeJS.Signals | null>();
  child.once("exit", () => {
    ms = performance.now() - began;
  });
  child.once("error", ended.reject);
  child.once("close", (code, killed) => ended.resolve(code ?? killed));
  const end = await ended.promise;
  if (end !== 0) throw new Error(`${[program, ...args].join(" ")} ended with ${end}: ${stderr}${stdout}`);
  return { ms, stdout };
}

/** The milliseconds that many of the same took, all begun at once. */
export async function runAtOnce(count: number, command: CommandLine, options: RunOptions): Promise<number> {
  const began = performance.now();
  await Promise.all(Array.from({ length: count }, () => run(command, options)));
  return performance.now() - began;
}

/** The milliseconds until a process writes its first byte; it is killed then. */
export async function firstByte(
  [program, ...args]: CommandLine,
  { env, signal, cwd = "/" }: RunOptions,
): Promise<number> {
  signal.throwIfAborted();
  const began = performance.now();
  const child = spawn(program, args, { cwd, env, signal, stdio: ["ignore", "pipe", "ignore"] });
  const first = Promise.withResolvers<number>();
  const closed = Promise.withResolvers<void>();
  child.stdout.once("data", () => {
    first.resolve(performance.now() - began);
    child.kill("SIGKILL");
  });
  child.once("error", first.reject);
  child.once("close", () => {
    first.reject(new Error(`${program} wrote nothing`));
    closed.resolve();
  });
  const ms = await first.promise;
  await closed.promise;
  return ms;
}
