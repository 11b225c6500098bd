/** Which agents a command line means: those of the declaration, some of them by name, or one without any file. */
import { accessSync, constants, realpathSync } from "node:fs";
import type { Invocation } from "./args/command-spec.ts";
import type { DeclaredAgent } from "./declaration/agent.ts";
import { undeclaredAgent } from "./declaration/agent.ts";
import { nameFault } from "./declaration/names.ts";
import type { Target } from "./declaration/rules.ts";
import { CliError, usageError } from "./errors/cli-error.ts";
import { substrateOf } from "./scope/substrate-of.ts";
import { didYouMean } from "./text/did-you-mean.ts";
import { parseDuration } from "./text/duration.ts";

const defaultFile = "agent.yaml";

/** The agents to start. Throws errors of usage and of the declaration, exit 2. */
export async function selectDeclared(invocation: Invocation, cwd: string): Promise<DeclaredAgent[]> {
  const { rest, words, flags } = invocation;
  if (rest === null) return pick(await declaredAgents(invocation, cwd), words);
  const [name] = words;
  if (substrateOf(flags) === "kubernetes")
    throw usageError(
      "on Kubernetes an agent needs an image, and a command line has no place for it",
      "declare it: `moorage init` writes agent.yaml, where run.image names the image",
    );
  if (name === undefined || words.length !== 1)
    throw usageError("one name and a command are needed", "write `moorage deploy NAME -- COMMAND…`");
  if (flags["file"] !== undefined)
    throw usageError("both a file and a command are named", "leave --file out, or what stands behind --");
  if (rest.length === 0) throw usageError("there is no command after --", "write `moorage deploy NAME -- COMMAND…`");
  checkName(name);
  return [undeclaredAgent(name, rest, realFolder(cwd))];
}

/** The agent runs where the caller is; a folder that the caller may not even look at, such as root's after `su`, is told as that. */
function realFolder(cwd: string): string {
  try {
    accessSync(cwd, constants.X_OK);
    return realpathSync(cwd);
  } catch {
    throw usageError(`you may not look into the folder that you are in, ${cwd}`, "run `cd` to one that is yours");
  }
}

/** Every agent of the declaration. The reader of declarations is loaded here and nowhere else. */
export async function declaredAgents(invocation: Invocation, cwd: string): Promise<DeclaredAgent[]> {
  const { loadDeclaration } = await import("./declaration/load.ts");
  return loadDeclaration(fileOf(invocation), { cwd, target: await targetOf(invocation) });
}

async function targetOf({ flags }: Invocation): Promise<Target> {
  if (substrateOf(flags) === "local") return { on: "local" };
  const { imageFault } = await import("./launch/image-fault.ts");
  return { on: "kubernetes", imageFault };
}

/** The same for a command that works without a declaration too: none when nobody named a file and there is none. */
export async function declaredIfAny(invocation: Invocation, cwd: string): Promise<DeclaredAgent[]> {
  try {
    return await declaredAgents(invocation, cwd);
  } catch (error) {
    if (error instanceof CliError && error.code === "declarationMissing" && invocation.flags["file"] === undefined)
      return [];
    throw error;
  }
}

function fileOf({ flags }: Invocation): string {
  const named = flags["file"];
  return typeof named === "string" ? named : defaultFile;
}

function pick(agents: readonly DeclaredAgent[], names: readonly string[]): DeclaredAgent[] {
  if (names.length === 0) return [...agents];
  return [...new Set(names)].map((name) => checkDeclared(name, agents));
}

/** The agent of that name. Throws `notDeclared`, exit 2. */
export function checkDeclared(name: string, agents: readonly DeclaredAgent[]): DeclaredAgent {
  const found = agents.find((agent) => agent.name === name);
  if (found !== undefined) return found;
  checkName(name);
  const known = agents.map((agent) => agent.name);
  const meant = didYouMean(name, known);
  throw new CliError({
    code: "notDeclared",
    message: `no agent ${name} is declared`,
    hint: meant === undefined ? `declared are: ${known.join(", ")}` : `did you mean ${meant}?`,
    details: { name, declared: known },
  });
}

/** Throws `usage` for what can be no agent's name. */
export function checkName(name: string): void {
  const fault = nameFault(name);
  if (fault !== null) throw usageError(`no agent can be named so: ${fault.message}`, fault.hint);
}

/** Milliseconds of a flag; `otherwise` without it. 0 is a duration here. Throws `usage`. */
export function durationFlag({ flags }: Invocation, name: string, otherwise: number): number {
  const text = flags[name];
  if (typeof text !== "string") return otherwise;
  const parsed = parseDuration(text, "allowed");
  if (parsed.kind === "mistake") throw usageError(`--${name}: ${parsed.message}`, parsed.hint);
  return parsed.ms;
}

/** The whole number of a flag, from 1 on; undefined without it. Throws `usage`. */
export function countFlag({ flags }: Invocation, name: string): number | undefined {
  const text = flags[name];
  if (typeof text !== "string") return undefined;
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw usageError(`--${name}: ${JSON.stringify(text)} is no whole number from 1 on`, `write --${name} 100`);
  return Number(text);
}
