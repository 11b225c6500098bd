/** What holds after every fault: one agent at most truly lives, nothing was removed without a fence, and nothing is left but what the rules allow. */
import { moorageProfile, secretName } from "@moorage/core";
import { expect } from "vitest";
import type { Passing } from "../proxy.ts";
import type { Scene } from "../scene.ts";
import { until } from "../up/run.ts";

export interface Expected {
  /** How many containers of the agent live, by their runtime's word. */
  readonly alive: 0 | 1;
  /** Secrets that no pod references: of attempts that ended in the dark. The collection takes them by their age. */
  readonly orphans?: number;
  /** What the loops asked, where that was recorded. */
  readonly asked?: readonly Passing[];
}

export async function afterFault(scene: Scene, { alive, orphans = 0, asked = [] }: Expected): Promise<void> {
  expect.soft(await scene.alive(), "containers alive").toBe(alive);
  const instances = await answered(async () => {
    const reading = await scene.substrate.readInstances(scene.identity);
    return reading.kind === "read" ? reading.instances : null;
  });
  const secrets = await answered(async () => {
    const listing = await scene.substrate.listSecrets(scene.identity);
    return listing.kind === "read" ? listing.secrets : null;
  });
  expect.soft(instances.length, "pods of the agent").toBeLessThanOrEqual(1);
  const referenced = instances.flatMap(({ attempt }) =>
    attempt === null ? [] : [secretName(moorageProfile, scene.identity, attempt)],
  );
  const names = secrets.map(({ name }) => name);
  if (alive === 1) expect.soft(names, "the Secret of the agent that lives").toEqual(expect.arrayContaining(referenced));
  const left = names.filter((name) => !referenced.includes(name));
  expect.soft(left.length, `Secrets of nobody: ${left.join(", ")}`).toBeLessThanOrEqual(orphans);
  for (const { method, body } of asked.filter((one) => one.method === "DELETE")) {
    expect.soft(JSON.parse(body), method).toMatchObject({
      preconditions: { uid: expect.stringMatching(/./), resourceVersion: expect.stringMatching(/./) },
    });
    expect.soft(JSON.parse(body), "no grace but the object's own").not.toHaveProperty("gracePeriodSeconds");
  }
}

/** A server that was just broken may need a moment. */
async function answered<T>(read: () => Promise<T | null>): Promise<T> {
  let answer: T | null = null;
  await until("the cluster answers again", async () => (answer = await read()) !== null);
  return answer ?? expect.fail("the cluster answers again");
}
