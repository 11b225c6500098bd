/** The build id on this machine: a digest over the command and the content of the files that make the build. */
import { createHash } from "node:crypto";
import { closeSync, openSync, readSync, statSync } from "node:fs";
import { relative, resolve } from "node:path";
import type { Digest } from "@moorage/core";
import type { DeclaredAgent } from "../declaration/agent.ts";
import { CliError } from "../errors/cli-error.ts";
import { isInterpreter } from "./preflight.ts";

/** `sha256:` and 64 hex digits. Throws `buildFileMissing` for a declared file that cannot be read. */
export function buildId(agent: DeclaredAgent, digest: Digest): string {
  const files = agent.files ?? defaultFiles(agent);
  const content = files.map((path) => ({ path: relative(agent.directory, path), sha256: contentDigest(path, agent) }));
  return `sha256:${digest.canonical({ command: agent.command, files: content })}`;
}

/**
 * The script that the command names: the program itself where it is given by its path, else, and for an interpreter, the
 * first argument that is a file. What a program of one's own is given may be data, which changes while it runs.
 */
function defaultFiles({ command, directory }: DeclaredAgent): string[] {
  const [program = "", ...rest] = command;
  const own = program.includes("/");
  const runsScript = !own || isInterpreter(program);
  const script = runsScript
    ? rest.find((word) => !word.startsWith("-") && isFile(resolve(directory, word)))
    : undefined;
  return [...(own ? [program] : []), ...(script === undefined ? [] : [script])]
    .map((word) => resolve(directory, word))
    .filter(isFile);
}

/** False as well for what may not be looked at: the agent could not read it either. */
function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function contentDigest(path: string, agent: DeclaredAgent): string {
  if (!isFile(path)) throw missing(path, agent, "is not there, or is no file");
  const hash = createHash("sha256");
  const chunk = Buffer.allocUnsafe(65_536);
  try {
    const descriptor = openSync(path, "r");
    try {
      for (let length = readSync(descriptor, chunk); length > 0; length = readSync(descriptor, chunk))
        hash.update(chunk.subarray(0, length));
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    throw missing(
      path,
      agent,
      `cannot be read (${error instanceof Error && "code" in error ? String(error.code) : "?"})`,
    );
  }
  return hash.digest("hex");
}

function missing(path: string, agent: DeclaredAgent, why: string): CliError {
  const shown = relative(agent.directory, path);
  return new CliError({
    code: "buildFileMissing",
    message: `${agent.name}: the file ${shown}, which makes its build, ${why}`,
    hint: `correct run.files in ${agent.source}`,
    details: { agent: agent.name, file: path },
  });
}
