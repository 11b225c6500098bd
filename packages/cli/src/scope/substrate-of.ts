/** On which substrate a command line works, and the flags that reach the same scope again. */
import { agentNamePattern } from "@moorage/core";
import type { Invocation } from "../args/command-spec.ts";
import { usageError } from "../errors/cli-error.ts";

type Flags = Invocation["flags"];

export type SubstrateName = "local" | "kubernetes";

/** Milliseconds that a start waits by default: on a cluster a node may have to come first. */
export const startDeadlineMs: Readonly<Record<SubstrateName, number>> = { local: 90_000, kubernetes: 600_000 };

/** `--on`, checked with the flags that go with one substrate only. Throws `usage`. */
export function substrateOf(flags: Flags): SubstrateName {
  const on = flags["on"] ?? "local";
  if (on !== "local" && on !== "kubernetes")
    throw usageError(`--on ${String(on)} is unknown`, "write --on local or --on kubernetes");
  if (on === "local")
    for (const flag of ["context", "namespace"])
      if (flags[flag] !== undefined)
        throw usageError(`--${flag} is for clusters`, `add --on kubernetes, or leave --${flag} out`);
  const { namespace } = flags;
  // An RFC 1123 label, as a name of an agent is. One that cannot be would read as one that is empty.
  if (typeof namespace === "string" && !new RegExp(agentNamePattern).test(namespace))
    throw usageError(
      `no namespace can be named so: ${JSON.stringify(namespace)}`,
      "lower-case letters, digits and dashes, at most 63",
    );
  return on;
}

/** The flags of a call as arguments of another one on the same scope. */
export function scopeFlags(flags: Flags): string[] {
  return scopeFlagNames.flatMap((name) => {
    const value = flags[name];
    return typeof value !== "string" || (name === "on" && value === "local") ? [] : [`--${name}=${value}`];
  });
}

const scopeFlagNames = ["on", "context", "namespace", "state"] as const;

/** Commands that work on a scope, and those of them that take a declaration. */
const inScope = new Set([
  "deploy",
  "start",
  "restart",
  "keep",
  "status",
  "explain",
  "stop",
  "logs",
  "journal",
  "doctor",
  "bundle",
  "keys",
  "mailbox",
  "release",
  "update",
]);
const declared = new Set([
  "deploy",
  "start",
  "restart",
  "keep",
  "explain",
  "bundle build",
  "bundle show",
  "bundle diff",
  "bundle verify",
  "bundle publish",
  "release publish",
  "update plan",
  "update apply",
  "update watch",
  "update status",
  "update rollback",
]);

/** Puts the flags of this call into the commands that a text tells to run: they are to reach the same agents. */
export function addressing(flags: Flags): (text: string) => string {
  const scope = scopeFlagNames.flatMap((name) => flagText(name, flags[name]));
  const file = flagText("file", flags["file"]);
  if (scope.length + file.length === 0) return (text) => text;
  return (text) =>
    text.replace(/`moorage ([a-z]+)([^`]*)`/g, (whole, command: string, rest: string) => {
      const takesFile = declared.has(command) || declared.has(`${command} ${rest.trim().split(" ")[0]}`);
      const wanted = [...(inScope.has(command) ? scope : []), ...(takesFile ? file : [])];
      const missing = wanted.filter((flag) => !rest.includes(flag.split(" ")[0] ?? flag));
      if (missing.length === 0 || rest.includes("--pull-message")) return whole;
      const [before = "", ...after] = rest.split(/(?= -- )/);
      return `\`moorage ${command}${before} ${missing.join(" ")}${after.join("")}\``;
    });
}

function flagText(name: string, value: string | true | undefined): string[] {
  if (typeof value !== "string" || (name === "on" && value === "local")) return [];
  return [`--${name} ${/^[\w./:@%+=,-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`}`];
}
