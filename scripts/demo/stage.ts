/** What the demo plays on: a temporary state, the command as a person runs it, and the processes that are really there. */
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const command = join(repository, "packages/cli/bin/moorage.mjs");

export interface Answer {
  readonly exitCode: number;
  readonly json: Record<string, unknown>;
  readonly ms: number;
}

/** One agent of a deploy's answer. */
export interface Deployed {
  readonly outcome: string;
  readonly intent: string;
  readonly requests: number;
  readonly startedAt: string | null;
  readonly condition: { readonly message: string } | null;
}

export class Stage {
  readonly folder: string;
  readonly state: string;
  readonly #started = new Set<string>();

  private constructor(folder: string) {
    this.folder = folder;
    this.state = join(folder, "state");
  }

  static async open(): Promise<Stage> {
    const folder = await mkdtemp(join(tmpdir(), "moorage-demo-"));
    return new Stage(folder);
  }

  /** The example agent, as `moorage init` writes it; where it lies. */
  async agent(name: string): Promise<string> {
    const place = join(this.folder, name);
    await mkdir(place);
    const answer = await this.moorage(["init", name], place);
    if (answer.exitCode !== 0) throw new Error(`init failed: ${JSON.stringify(answer.json)}`);
    return place;
  }

  /** Runs the command with `--json` in a folder, as eight terminals may do at once. */
  async moorage(words: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const began = performance.now();
    const child = spawn(
      process.execPath,
      [command, ...words, "--json", ...(words[0] === "init" ? [] : ["--state", this.state])],
      {
        cwd,
        env: { ...process.env, ...env },
        stdio: ["ignore", "pipe", "ignore"],
      },
    );
    let out = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      out += text;
    });
    const exitCode = await new Promise<number>((resolve) => child.on("close", (code) => resolve(code ?? 1)));
    const json = out.trim() === "" ? {} : (JSON.parse(out) as Record<string, unknown>);
    return { exitCode, json, ms: performance.now() - began };
  }

  async deploy(name: string, cwd: string, env: Readonly<Record<string, string>> = {}): Promise<Deployed> {
    this.#started.add(name);
    const answer = await this.moorage(["deploy", name], cwd, env);
    const [agent] = (answer.json["agents"] ?? []) as Deployed[];
    if (agent === undefined) throw new Error(`deploy gave no answer: ${JSON.stringify(answer.json)}`);
    return agent;
  }

  /** Ends all that the demo has started, and removes every trace of it. */
  async close(): Promise<void> {
    if (this.#started.size > 0) await this.moorage(["stop", "--all", "--now"], this.folder);
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Waits until something holds, at most `ms` milliseconds. */
export async function until<T>(what: string, look: () => Promise<T | null>, ms = 15_000): Promise<T> {
  const end = performance.now() + ms;
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    if (performance.now() > end) throw new Error(`it did not come to this: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export async function files(folder: string, ending: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith(ending)).sort();
}
