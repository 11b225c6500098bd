/** What is declared for an agent in the image with the harness. */
import type { HarnessTemplate, PodTemplate } from "@moorage/core";
import { podTemplate } from "@moorage/kubernetes";

export type HarnessAsk = Partial<HarnessTemplate> & {
  readonly graceMs?: number;
  readonly env?: Readonly<Record<string, string>>;
};

export function harnessTemplateOf(image: string, args: readonly string[], ask: HarnessAsk = {}): PodTemplate {
  const { graceMs = 20_000, env = {}, ...harness } = ask;
  const told = {
    command: ["node", "agent.mjs", ...args],
    drainMs: 10_000,
    idleMs: null,
    health: { kind: "none" } as const,
  };
  return podTemplate({
    name: "scribe",
    fleet: "scribe",
    image,
    harness: { ...told, ...harness },
    env,
    secretKeys: ["API_KEY"],
    graceMs,
    resources: { requests: { cpu: "10m", memory: "64Mi" }, limits: { memory: "512Mi" } },
  });
}
