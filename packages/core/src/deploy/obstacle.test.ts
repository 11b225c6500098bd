import { describe, expect, it } from "vitest";
import type { Substrate } from "../ports/substrate.ts";
import type { Condition } from "./conditions.ts";
import type { ObservedInstance } from "./observation.ts";
import { evidence, fakeDigest, identity, observed, template } from "./observed.fixture.ts";
import { moorageProfile } from "./profile.ts";
import { startAgent } from "./reconcile.ts";

const obstacle: Condition = { code: "secretMissing", message: "TOKEN is not set", hint: "export it" };

/** A substrate that shows these instances and answers nothing else: whatever else is asked of it fails the test. */
function showing(instances: readonly ObservedInstance[]): Substrate {
  const asked = (): never => {
    throw new Error("nothing but a read may be asked");
  };
  return {
    scope: "test",
    readInstances: () => Promise.resolve({ kind: "read", instances, version: "1" }),
    ensureScope: asked,
    readName: asked,
    listSecrets: asked,
    secretExists: asked,
    createSecret: asked,
    createInstance: asked,
    deleteInstance: asked,
    deleteSecret: asked,
    follow: asked,
  };
}

async function start(
  instances: readonly ObservedInstance[],
): Promise<{ outcome: string; condition: Condition | null }> {
  return startAgent(
    {
      agent: "scribe",
      profile: moorageProfile,
      identity,
      deadlineMs: 1000,
      settleMs: 0,
      template,
      notes: { name: "scribe" },
      secrets: new Map(),
      obstacle,
    },
    {
      substrate: showing(instances),
      clock: { now: () => 0, sleep: () => new Promise(() => undefined) },
      random: { token: (digits) => "0".repeat(digits), fraction: () => 0 },
      digest: fakeDigest,
      journal: { append: () => undefined },
      signal: { aborted: false, addEventListener: () => undefined, removeEventListener: () => undefined },
    },
  );
}

describe("a request from which nothing may be created", () => {
  it("P2: is no matter to an agent that runs, whatever the configuration says", async () => {
    expect((await start([observed(evidence.started)])).outcome).toBe("alreadyRunning");
  });

  it("removes and creates nothing, and says what stands in the way", async () => {
    for (const instances of [[], [observed(evidence.terminated)], [observed(evidence.abandoned)]])
      expect(await start(instances)).toMatchObject({ outcome: "refused", condition: obstacle });
  });
});
