/** The agents of the suite on one machine: shell commands that behave as a test asks. */
import type { Identity, ProcessTemplate, StartRequest, Subject } from "@moorage/core";
import { moorageProfile, nameIdentity } from "@moorage/core";
import { sha256 } from "@moorage/keys";
import type { Ask, Behaviour } from "./bench.ts";

export const secretValue = "planted-value-of-the-suite";

const commands: Readonly<Record<Behaviour, readonly [string, ...string[]]>> = {
  runs: ["sleep", "1000"],
  endsAtOnce: ["sh", "-c", "exit 7"],
  endsSlowly: ["sh", "-c", "trap '' TERM; exec sleep 1000"],
  idles: ["sleep", "1001"],
};

export function identityOf(agent: string): Identity {
  return nameIdentity(agent, sha256);
}

export function subjectOf(agent: string, deadlineMs: number): Subject {
  return { agent, profile: moorageProfile, identity: identityOf(agent), deadlineMs };
}

export function startRequestOf(agent: string, { variant = 0, behaviour = "runs", settleMs = 0 }: Ask): StartRequest {
  const template: ProcessTemplate = {
    kind: "process",
    command: commands[behaviour],
    directory: "/",
    buildId: "0".repeat(64),
    env: { VARIANT: String(variant) },
    secretKeys: ["API_KEY"],
    drainMs: 300,
    graceMs: 3_000,
    idleMs: behaviour === "idles" ? 500 : null,
    health: { kind: "none" },
    catalog: null,
    identityKey: null,
  };
  const secrets = new Map([["API_KEY", secretValue]]);
  return { ...subjectOf(agent, 0), template, notes: { name: agent }, secrets, settleMs };
}
