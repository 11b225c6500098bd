/** The agent of the suite on a cluster: what is declared of it, and how it behaves. */
import type { Identity, PodTemplate, StartRequest, Subject } from "@moorage/core";
import { moorageProfile, nameIdentity } from "@moorage/core";
import { sha256 } from "@moorage/keys";
import { podTemplate } from "@moorage/kubernetes";
import type { Ask, Behaviour } from "../conformance/bench.ts";
import { harnessTemplateOf } from "./harness-template.ts";

export const secretValue = "not-a-real-value";
const graceMs = 8_000;

const scripts: Readonly<Record<Exclude<Behaviour, "idles">, string>> = {
  runs: "trap 'exit 0' TERM; sleep 100000 & wait",
  endsAtOnce: "exit 7",
  endsSlowly: "trap '' TERM; while :; do sleep 1; done",
};

export function identityOf(agent: string): Identity {
  return nameIdentity(agent, sha256);
}

export function subjectOf(agent: string, deadlineMs: number): Subject {
  return { agent, profile: moorageProfile, identity: identityOf(agent), deadlineMs };
}

export function startRequestOf(agent: string, image: string, ask: Ask): Omit<StartRequest, "deadlineMs"> {
  return {
    agent,
    profile: moorageProfile,
    identity: identityOf(agent),
    template: templateOf(image, ask),
    notes: { name: agent, source: "cluster", image },
    secrets: new Map([["API_KEY", secretValue]]),
    settleMs: ask.settleMs ?? 0,
  };
}

/** What idles is in the image with the harness. */
export function templateOf(image: string, { variant = 0, behaviour = "runs" }: Ask): PodTemplate {
  if (behaviour === "idles") return harnessTemplateOf(image, ["quiet"], { idleMs: 500 });
  return podTemplate({
    name: "scribe",
    fleet: "scribe",
    image,
    command: ["/bin/sh", "-c", scripts[behaviour]],
    env: { VARIANT: String(variant) },
    secretKeys: ["API_KEY"],
    graceMs,
    resources: { requests: { cpu: "10m", memory: "16Mi" }, limits: { memory: "64Mi" } },
  });
}
