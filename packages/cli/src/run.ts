/** One run of the command: parse, load the one command that is asked for, run it, and tell whatever goes wrong. */
import type { CommandSpec } from "./args/command-spec.ts";
import { helpOf, overview } from "./args/help.ts";
import type { Parsed } from "./args/parse.ts";
import { parseCommandLine } from "./args/parse.ts";
import { CliError, usageError } from "./errors/cli-error.ts";
import { exit } from "./errors/exit-code.ts";
import { printError } from "./errors/report.ts";
import { Output } from "./output/output.ts";
import type { SubstrateName } from "./scope/substrate-of.ts";
import { addressing, substrateOf } from "./scope/substrate-of.ts";

export interface Process {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: () => string;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly interrupt: AbortSignal;
  readonly version: string;
  readonly command: readonly [string, ...string[]];
}

/** Resolves to the exit code; never rejects. */
export async function runCommandLine(host: Process): Promise<number> {
  const output = makeOutput(host);
  const code = await runAndTell(host, output);
  const fault = await output.fault();
  if (fault === null) return code;
  output.error(
    `error: the answer could not be written: ${fault.message}\nhint: what was done is done; \`moorage status\` shows it`,
  );
  return exit.fault;
}

async function runAndTell(host: Process, output: Output): Promise<number> {
  const { env, interrupt } = host;
  try {
    const parsed = parseCommandLine(host.argv);
    const ended = await carryOut(parsed, host, output);
    // Whatever was reached: who pressed Ctrl-C is told that it counted.
    const code = interrupt.aborted ? exit.interrupted : ended;
    if (code === exit.interrupted && isReading(parsed)) {
      // So that the prompt does not follow on "^C".
      if (output.terminal) output.error("");
    } else if (code === exit.interrupted && !output.quiet)
      output.error(
        parsed.kind === "run" && parsed.spec.name === "keep"
          ? "interrupted; agents that run go on, and nothing is revived until keep runs again"
          : "interrupted; what was started goes on: `moorage status` shows it",
      );
    return code;
  } catch (error) {
    if (!interrupt.aborted) return printError(error, output, (env["MOORAGE_DEBUG"] ?? "") !== "");
    const message = "interrupted; what was started goes on";
    const told = new CliError({ code: "interrupted", message, hint: "run `moorage status` to see it" });
    printError(told, output, false);
    return exit.interrupted;
  }
}

const reading = new Set(["status", "logs", "journal", "update plan", "update status"]);

/** Ctrl-C is how a watch ends: nothing was begun that could go on. */
function isReading(parsed: Parsed): boolean {
  return parsed.kind === "run" && reading.has(parsed.spec.name);
}

async function carryOut(parsed: Parsed, host: Process, output: Output): Promise<number> {
  switch (parsed.kind) {
    case "version":
      output.write(`moorage ${host.version}\n`);
      return exit.ok;
    case "help":
      output.write(parsed.spec === null ? overview() : helpOf(parsed.spec));
      // A bare `moorage` asked for nothing.
      return host.argv.length === 0 ? exit.usage : exit.ok;
    case "run": {
      checkSubstrate(parsed.spec, substrateOf(parsed.invocation.flags));
      output.address(addressing(parsed.invocation.flags));
      const run = await parsed.spec.load();
      const { env, interrupt, version, command } = host;
      const cwd = workingDirectory(host.cwd);
      return run(parsed.invocation, { env, cwd, output, interrupt, version, command });
    }
    default:
      return parsed satisfies never;
  }
}

function checkSubstrate({ name, onThisMachineOnly }: CommandSpec, on: SubstrateName): void {
  if (on === "local" || onThisMachineOnly !== true) return;
  throw usageError(
    `\`moorage ${name}\` is for agents on this machine`,
    "leave --on kubernetes out; on a cluster a new image with `moorage restart` is the way",
  );
}

/** What JSON, quiet and colour are is known before the arguments are: their mistakes are told that way too. */
function makeOutput({ argv, env, stdout, stderr }: Process): Output {
  const end = argv.indexOf("--");
  const own = end === -1 ? argv : argv.slice(0, end);
  const json = own.includes("--json");
  const terminal = stdout.isTTY && env["TERM"] !== "dumb";
  const plain = own.includes("--no-color") || (env["NO_COLOR"] ?? "") !== "";
  return new Output(
    { stdout, stderr },
    {
      json,
      quiet: own.includes("--quiet"),
      verbose: own.includes("--verbose"),
      terminal: terminal && !json,
      color: terminal && stderr.isTTY && !json && !plain,
    },
  );
}

function workingDirectory(cwd: () => string): string {
  try {
    return cwd();
  } catch {
    throw usageError("the folder that you are in does not exist any more", "run `cd` to one that does");
  }
}
