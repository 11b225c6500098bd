/** `moorage fingerprint`: the axes of what is declared, and the lock that notices content which moved without its version. */
import { join } from "node:path";
import type { LockFinding } from "@moorage/bundle";
import { checkLock, hashCatalog, updateLock } from "@moorage/bundle";
import { sha256 } from "@moorage/keys";
import type { Invocation, Run } from "../args/command-spec.ts";
import type { DeclaredAgent } from "../declaration/agent.ts";
import { usageError } from "../errors/cli-error.ts";
import { exit } from "../errors/exit-code.ts";
import type { Formats } from "../fingerprint/formats.ts";
import { guarded, readFormats, writeLock } from "../fingerprint/formats.ts";
import { buildId } from "../launch/build-id.ts";
import type { Output } from "../output/output.ts";
import { declaredAgents } from "../selection.ts";

interface AgentFingerprint {
  readonly agent: string;
  /** null: nothing of it runs on this machine, and its image says which build it is. */
  readonly buildId: string | null;
  readonly fingerprint: DeclaredAgent["fingerprint"] & { readonly toolCatalogHash: string | null };
}

const nothingBehind = "fingerprint.yaml names no files here, so nothing behind these versions is looked at";

interface Locked {
  /** `behind`: a check found what an update would mend. */
  readonly state: "updated" | "unchanged" | "refused" | "behind";
  readonly file: string;
  readonly findings: readonly LockFinding[];
  /** Nothing is locked, and there is nothing to lock. */
  readonly empty: boolean;
}

export const fingerprint: Run = async (invocation, host) => {
  const { output } = host;
  const accepted = acceptFlag(invocation);
  const [first, ...rest] = await declaredAgents(inFolder(invocation), host.cwd);
  if (first === undefined) throw new Error("a declaration without an agent");
  const formats = readFormats([first, ...rest]);
  const agents = [first, ...rest].map(fingerprintOf);
  const lock = invocation.flags["check"] === true ? check(formats) : update(formats, accepted);
  const { empty: _, ...told } = lock;
  if (output.json) output.object("FingerprintResult", { agents, lock: told });
  for (const agent of agents) output.line(agentText(agent));
  for (const line of lockText(lock, output)) output.line(line);
  return lock.state === "refused" || lock.state === "behind" ? exit.refused : exit.ok;
};

function inFolder(invocation: Invocation): Invocation {
  const [folder] = invocation.words;
  if (folder === undefined) return invocation;
  if (invocation.flags["file"] !== undefined)
    throw usageError("both a folder and a file are named", "leave one of them out");
  return { ...invocation, flags: { ...invocation.flags, file: join(folder, "agent.yaml") } };
}

function acceptFlag({ flags }: Invocation): boolean {
  if (flags["accept"] === undefined) return false;
  if (flags["check"] === true) throw usageError("--check changes nothing, and --accept does", "leave one of them out");
  if (flags["accept"] === "compatible") return true;
  throw usageError(`--accept ${String(flags["accept"])} is unknown`, "write --accept compatible");
}

function fingerprintOf(agent: DeclaredAgent): AgentFingerprint {
  const { name, catalog, command } = agent;
  const toolCatalogHash = catalog === null ? null : guarded(() => hashCatalog(catalog.path), "catalogInvalid");
  return {
    agent: name,
    buildId: command.length === 0 ? null : buildId(agent, sha256),
    fingerprint: { ...agent.fingerprint, toolCatalogHash },
  };
}

function check({ declared, lock, lockFile }: Formats): Locked {
  const findings = checkLock(declared, lock);
  const refused = findings.some(({ kind }) => kind === "contentMoved" || kind === "versionReused");
  const state = findings.length === 0 ? "unchanged" : refused ? "refused" : "behind";
  return { state, file: lockFile, findings, empty: isEmpty(lock) };
}

function update({ declared, lock, lockFile }: Formats, accepted: boolean): Locked {
  const updated = updateLock(declared, lock, accepted);
  switch (updated.kind) {
    case "updated":
      writeLock(lockFile, updated.lock);
      return { state: "updated", file: lockFile, findings: [], empty: false };
    case "unchanged":
      return { state: "unchanged", file: lockFile, findings: [], empty: isEmpty(lock) };
    case "refused":
      return { state: "refused", file: lockFile, findings: updated.findings, empty: false };
    default:
      return updated satisfies never;
  }
}

function agentText({ agent, buildId: build, fingerprint: axes }: AgentFingerprint): string {
  return [
    `${agent}:`,
    `  wireVersion      ${axes.wireVersion}`,
    `  eventLogSchema   ${axes.eventLogSchema}`,
    `  crdApiVersion    ${axes.crdApiVersion}`,
    `  toolCatalogHash  ${axes.toolCatalogHash ?? "- (no catalog)"}`,
    `  build            ${build ?? "- (its image)"}`,
  ].join("\n");
}

function isEmpty(lock: Formats["lock"]): boolean {
  return Object.keys(lock).length === 0;
}

function lockText({ state, file, findings, empty }: Locked, output: Output): string[] {
  if (state === "updated") return [`written: ${file}; commit it`];
  if (state === "unchanged") return [empty ? nothingBehind : `${file} says what is`];
  return findings.flatMap(({ message, hint }) => [
    `${output.style("red", "✗")} ${message}`,
    `  ${output.style("dim", "→")} ${hint}`,
  ]);
}
