import { join } from "node:path";
import type { Attempt, ColdMove, ProcessTemplate } from "@moorage/core";
import {
  instanceMarks,
  instanceName,
  intentDigest,
  moorageProfile,
  nameIdentity,
  secretMarks,
  secretName,
} from "@moorage/core";
import { sha256 } from "@moorage/keys";
import { awakeClock } from "@moorage/local";
import { expect, test, vi } from "vitest";
import type { Here } from "../run.fixture.ts";
import { commandHere } from "../run.fixture.ts";
import type { AgentScope } from "../scope/agent-scope.ts";
import { openLocalScope } from "../scope/local-scope.ts";
import { fleetInstances, lookAtFleet, orphanedSecrets, sideOf } from "./look-fleet.ts";

const from = { wireVersion: 1, eventLogSchema: 1, crdApiVersion: "moorage.dev/v1alpha1" };
const to = { ...from, wireVersion: 2 };
const move = { fleet: "a", from, to } as ColdMove;
const identity = nameIdentity("a", sha256);

async function inScope<T>(here: Here, use: (scope: AgentScope) => Promise<T>): Promise<T> {
  const clock = awakeClock();
  const scope = await openLocalScope(join(here.folder, "state/moorage"), clock, { mode: "write", launchEnv: {} });
  try {
    return await use(scope);
  } finally {
    scope.close();
  }
}

test("a running agent is of the side whose formats it has; its own Secret is no leftover, another attempt's is", async () => {
  await using here = commandHere();
  expect(await here.run(["deploy", "a", "--", "sleep", "600"])).toMatchObject({ exit: 0 });
  await inScope(here, async (scope) => {
    expect(await lookAtFleet(move, null, scope)).toEqual({ old: ["a"], new: [], unjudged: [], leftovers: 0 });
    const turned = { ...move, from: to, to: from };
    expect(await lookAtFleet(turned, null, scope)).toMatchObject({ old: [], new: ["a"] });
    const third = { ...move, from: to, to: { ...to, eventLogSchema: 9 } };
    expect(await lookAtFleet(third, null, scope)).toMatchObject({ old: [], new: [], unjudged: ["a"] });
    expect(await lookAtFleet({ ...move, fleet: "b" }, null, scope)).toEqual({
      old: [],
      new: [],
      unjudged: [],
      leftovers: 0,
    });

    const attempt = "0123456789abcdef" as Attempt;
    const name = `${instanceName(moorageProfile, identity)}-${attempt}`;
    const marks = secretMarks(moorageProfile, identity, 60);
    await scope.substrate.createSecret({ ...marks, name, data: new Map([["TOKEN", "x"]]) });
    const orphans = await orphanedSecrets("a", null, scope);
    expect(orphans.map((secret) => secret.name)).toEqual([name]);
    expect(await lookAtFleet(move, null, scope)).toMatchObject({ old: ["a"], leftovers: 1 });
    for (const { fence } of orphans)
      expect(await scope.substrate.deleteSecret(name, fence)).toEqual({ kind: "accepted" });
    expect(await lookAtFleet(move, null, scope)).toMatchObject({ old: ["a"], leftovers: 0 });
  });
});

test("what has ended does not live, and is there all the same", async () => {
  await using here = commandHere();
  await here.run(["deploy", "a", "--settle", "5s", "--", "sh", "-c", "exit 3"]);
  await inScope(here, async (scope) => {
    expect(await fleetInstances("a", null, scope)).toMatchObject([{ agent: "a", life: "ended" }]);
    expect(await lookAtFleet(move, null, scope)).toMatchObject({ old: [], new: [], unjudged: [] });
  });
});

test("an instance that never started and whose Secret is gone is a leftover, which its fence removes", async () => {
  await using here = commandHere();
  const template: ProcessTemplate = {
    kind: "process",
    command: ["sleep", "600"],
    directory: here.folder,
    buildId: "b1",
    fingerprint: from,
    env: {},
    secretKeys: [],
    drainMs: 1_000,
    graceMs: 2_000,
    idleMs: null,
    health: { kind: "none" },
    catalog: null,
    identityKey: null,
  };
  const attempt = "0123456789abcdef" as Attempt;
  await inScope(here, async (scope) => {
    await scope.substrate.ensureScope();
    const created = await scope.substrate.createInstance({
      ...instanceMarks(moorageProfile, identity, intentDigest(template, sha256), { name: "a", fleet: "a" }),
      name: instanceName(moorageProfile, identity),
      secret: secretName(moorageProfile, identity, attempt),
      template,
    });
    expect(created).toEqual({ kind: "created" });
    await scope.settled();
    expect(await fleetInstances("a", null, scope)).toMatchObject([{ agent: "a", life: "stillborn" }]);
    expect(await lookAtFleet(move, null, scope)).toEqual({ old: [], new: [], unjudged: [], leftovers: 1 });
    await vi.waitFor(async () => {
      // Its supervisor may be taking over just now: a fence that does not fit any more removes nothing.
      for (const { life, observed } of await fleetInstances("a", null, scope))
        if (life === "stillborn") await scope.substrate.deleteInstance(observed.name, observed.fence);
      expect(await lookAtFleet(move, null, scope)).toMatchObject({ old: [], leftovers: 0 });
    }, 10_000);
  });
});

test("nobody's formats are guessed", () => {
  expect(sideOf({ life: "lives", formats: null }, move)).toBe("unjudged");
  expect(sideOf({ life: "cannotTell", formats: from }, move)).toBe("unjudged");
  expect(sideOf({ life: "lives", formats: from }, move)).toBe("old");
});
