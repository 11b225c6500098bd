/** For tests: the command in this very process, with a folder and a state directory of its own. */
import { existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { runCommandLine } from "./run.ts";

interface RanHere {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Here extends AsyncDisposable {
  readonly folder: string;
  run(argv: readonly string[], options?: RunOptions): Promise<RanHere>;
}

interface RunOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly interrupt?: AbortSignal;
  /** Sees standard output as it comes. */
  readonly onOutput?: (text: string) => void;
}

const bin = fileURLToPath(new URL("../bin/moorage.mjs", import.meta.url));

/** Stops everything and removes the folder when it is disposed of. */
export function commandHere(): Here {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "command-")));
  const run = async (argv: readonly string[], { env = {}, interrupt, onOutput }: RunOptions = {}): Promise<RanHere> => {
    const stdout = collector(onOutput);
    const stderr = collector();
    const exit = await runCommandLine({
      argv,
      env: { PATH: process.env["PATH"], HOME: folder, XDG_STATE_HOME: join(folder, "state"), ...env },
      cwd: () => folder,
      stdout: stdout.stream,
      stderr: stderr.stream,
      interrupt: interrupt ?? new AbortController().signal,
      version: "0.0.0-test",
      command: [process.execPath, bin],
    });
    return { exit, stdout: stdout.text(), stderr: stderr.text() };
  };
  return {
    folder,
    run,
    async [Symbol.asyncDispose]() {
      await run(["stop", "--all", "--now"]);
      // A supervisor on its way out clears away beside it: what both remove at once may stay.
      for (let tries = 0; existsSync(folder) && tries < 100; tries += 1) {
        rmSync(folder, { recursive: true, force: true });
        await setTimeout(20);
      }
    },
  };
}

function collector(onText: (text: string) => void = () => undefined): {
  stream: NodeJS.WriteStream;
  text: () => string;
} {
  const stream = new PassThrough();
  let all = "";
  stream.on("data", (chunk: Buffer) => {
    all += chunk.toString();
    onText(chunk.toString());
  });
  return { stream: stream as unknown as NodeJS.WriteStream, text: () => all };
}
