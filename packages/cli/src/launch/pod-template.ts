/** The intent of an agent on a cluster: what the declaration says of its pod. */
import { relative } from "node:path";
import type { HarnessTemplate, HealthTemplate } from "@moorage/core";
import { pinImage, podTemplate } from "@moorage/kubernetes";
import type { DeclaredAgent } from "../declaration/agent.ts";
import type { CheckedTemplate } from "./start-request.ts";

/** The declaration's rules have seen to the image. */
export function checkedPod(agent: DeclaredAgent): CheckedTemplate {
  const { name, fleet, kubernetes, harness, entrypoint, args, identity } = agent;
  const pinned = pinImage(agent.image ?? "");
  if (pinned.kind === "invalid") throw new Error(`the image of ${name} is invalid: ${pinned.reason}`);
  const template = podTemplate({
    ...kubernetes,
    name,
    fleet,
    image: pinned.image,
    command: entrypoint,
    args,
    ...(harness ? { harness: harnessOf(agent) } : {}),
    fingerprint: agent.fingerprint,
    env: agent.env,
    secretKeys: [...agent.secretEnv.keys(), ...agent.passEnv],
    graceMs: agent.graceMs,
    ...(identity.kind === "key" ? { identityKey: { as: identity.as } } : {}),
  });
  return { template, notes: { name, image: pinned.image }, warnings: warningsOf(agent, pinned.kind === "movable") };
}

function harnessOf({ command, drainMs, idleMs, health, directory }: DeclaredAgent): HarnessTemplate {
  return { command, drainMs, idleMs, health: healthIn(health, directory) };
}

/** A path that the declaration gives relative to itself is relative to the agent's working directory in a pod. */
function healthIn(health: HealthTemplate, directory: string): HealthTemplate {
  if (health.kind !== "file") return health;
  const inside = relative(directory, health.path);
  return inside.startsWith("..") ? health : { ...health, path: inside };
}

function warningsOf(
  { name, image, revive, kubernetes, catalog, harness, health }: DeclaredAgent,
  movable: boolean,
): string[] {
  const warnings: string[] = [];
  if (movable)
    warnings.push(
      `${name}: ${image ?? ""} is not pinned by digest: what runs may be another image after each start (allowTag)`,
    );
  if (revive === "onFailure" && kubernetes.workspace?.claim === undefined)
    warnings.push(
      `${name}: revive: onFailure, and its workspace goes with each pod: name a kubernetes.workspace.claim if it keeps anything there`,
    );
  if (catalog !== null)
    warnings.push(`${name}: its catalog is not handed to pods: what its image holds is what it reads`);
  if (!harness && health.kind !== "none")
    warnings.push(`${name}: its health is not seen: the image has no harness (run.harness)`);
  return warnings;
}
