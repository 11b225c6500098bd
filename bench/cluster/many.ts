// A thousand agents in one namespace: what `status` of them costs, and what a process holds that watches them change for minutes.
import type { InstanceSpec } from "@moorage/core";
import {
  instanceMarks,
  instanceName,
  intentDigest,
  moorageProfile,
  nameIdentity,
  parseAttempt,
  secretName,
} from "@moorage/core";
import { sha256, systemRandom } from "@moorage/keys";
import { until } from "../../test/cluster/up/run.ts";
import { fleetNames } from "../place.ts";
import type { Agents } from "./agents.ts";
import { fakeSleeper } from "./agents.ts";
import type { Ground } from "./ground.ts";

export const many = 1_000;
const nodes = 2;
const atOnce = 20;

/** Makes them as starts would, without waiting for each; resolves when all run. */
export async function plantMany(ground: Ground, { substrate, inventory }: Agents): Promise<void> {
  await ground.fakeNodes(nodes);
  const template = fakeSleeper(ground);
  const left = fleetNames(many);
  const plant = async (agent: string): Promise<void> => {
    const identity = nameIdentity(agent, sha256);
    const attempt = parseAttempt(systemRandom.token(moorageProfile.attemptDigits));
    if (attempt === undefined) throw new Error("no attempt");
    const marks = instanceMarks(moorageProfile, identity, intentDigest(template, sha256), { name: agent });
    const secret = secretName(moorageProfile, identity, attempt);
    const spec: InstanceSpec = { name: instanceName(moorageProfile, identity), secret, template, ...marks };
    const made = await substrate.createInstance(spec);
    if (made.kind !== "created") throw new Error(`${agent} was not created: ${JSON.stringify(made)}`);
  };
  const worker = async (): Promise<void> => {
    for (let agent = left.pop(); agent !== undefined; agent = left.pop()) await plant(agent);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  const running = async (): Promise<boolean> => {
    const reading = await inventory.readScope();
    if (reading.kind !== "read") return false;
    return reading.instances.filter(({ evidence }) => evidence.container.state === "running").length === many;
  };
  await until(`${many} agents run`, running, 300_000);
}
