/** The agents, declarations and callers of a history: what they ask for, and with which ports. */
import { createHash } from "node:crypto";
import type {
  BindingProfile,
  Digest,
  Identity,
  Json,
  ProcessTemplate,
  StartRequest,
  Subject,
  Substrate,
} from "@moorage/core";
import { instanceName, moorageProfile, nameIdentity } from "@moorage/core";

export const profile: BindingProfile = moorageProfile;

/** SHA-256 over sorted JSON: enough of the canonical form for what these templates hold. */
export const digest: Digest = {
  text: (value) => createHash("sha256").update(value).digest("hex"),
  canonical: (value) => createHash("sha256").update(sorted(value)).digest("hex"),
};

export interface Agent {
  readonly agent: string;
  readonly identity: Identity;
  readonly name: string;
}

export const agents: readonly [Agent, Agent] = [agentNamed("scribe"), agentNamed("clerk")];

export function agentNamed(agent: string): Agent {
  const identity = nameIdentity(agent, digest);
  return { agent, identity, name: instanceName(profile, identity) };
}

/** Another number is another intent. */
export function template(variant: number): ProcessTemplate {
  return {
    kind: "process",
    command: ["node", "agent.ts"],
    directory: "/srv/agents",
    buildId: "0".repeat(64),
    env: { VARIANT: String(variant) },
    secretKeys: ["API_KEY"],
    drainMs: 30_000,
    graceMs: 60_000,
    idleMs: null,
    health: { kind: "none" },
    catalog: null,
    identityKey: null,
  };
}

export function subjectOf({ agent, identity }: Agent, deadlineMs: number): Subject {
  return { agent, profile, identity, deadlineMs };
}

export function startRequest(agent: Agent, variant: number, deadlineMs: number, settleMs: number): StartRequest {
  const secrets = new Map([["API_KEY", "not-a-real-value"]]);
  return {
    ...subjectOf(agent, deadlineMs),
    template: template(variant),
    notes: { name: agent.agent },
    secrets,
    settleMs,
  };
}

/** Another implementation: it writes its own intent scheme, and ours is the one that it cannot compare. */
export function otherScheme(inner: Substrate): Substrate {
  const swap = <T extends { readonly annotations: Readonly<Record<string, string>> }>(marked: T): T => {
    const key = `${profile.domain}/create-intent`;
    const text = marked.annotations[key];
    if (text === undefined) return marked;
    const swapped = text.startsWith("m1:") ? `m2:${text.slice(3)}` : text.replace(/^m2:/, "m1:");
    return { ...marked, annotations: { ...marked.annotations, [key]: swapped } };
  };
  return {
    ...inner,
    async readInstances(identity) {
      const answer = await inner.readInstances(identity);
      return answer.kind === "read" ? { ...answer, instances: answer.instances.map(swap) } : answer;
    },
    async readName(name) {
      const answer = await inner.readName(name);
      return answer.kind === "found" ? { ...answer, instance: swap(answer.instance) } : answer;
    },
    createInstance: (spec) => inner.createInstance(swap(spec)),
    async *follow(identity, from, signal) {
      for await (const hint of inner.follow(identity, from, signal)) {
        if (hint.kind === "changed") yield { ...hint, instance: swap(hint.instance) };
        else yield hint.kind === "removed" ? { ...hint, last: swap(hint.last) } : hint;
      }
    },
  };
}

function sorted(value: Json): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(sorted).join(",")}]`;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${sorted(item)}`).join(",")}}`;
}
