import { describe, expect, it } from "vitest";
import type { InstanceSpec, Substrate } from "../ports/substrate.ts";
import type { Admission } from "./admission.ts";
import type { ObservedInstance } from "./observation.ts";
import { evidence, fakeDigest, identity, observed, template } from "./observed.fixture.ts";
import { moorageProfile } from "./profile.ts";
import { startAgent } from "./reconcile.ts";

const closed = { code: "fleetClosed", message: "the fleet moves to other formats", hint: "wait" };
const passes: Admission = {
  begin: () => Promise.resolve({ kind: "pass", notes: { fleet: "writers" } }),
  stillHolds: () => Promise.resolve(null),
};

/** What a start asked of a substrate with these instances, beside reads. */
async function started(
  instances: readonly ObservedInstance[],
  admission: Admission,
): Promise<{ outcome: string; code: string | undefined; asked: string[]; created: InstanceSpec[] }> {
  const asked: string[] = [];
  const created: InstanceSpec[] = [];
  const does = (what: string) => {
    asked.push(what);
    return Promise.resolve({ kind: "accepted" } as const);
  };
  const substrate: Partial<Substrate> = {
    scope: "test",
    readInstances: () => Promise.resolve({ kind: "read", instances, version: "1" }),
    listSecrets: () => Promise.resolve({ kind: "read", secrets: [], serverTime: 0 }),
    createSecret: async () => {
      await does("create secret");
      return { kind: "created", fence: { uid: "s", resourceVersion: "1" } };
    },
    createInstance: async (spec) => {
      await does("create instance");
      created.push(spec);
      return { kind: "alreadyExists" };
    },
    readName: () => Promise.resolve({ kind: "absent" }),
    deleteSecret: () => does("delete secret"),
    deleteInstance: () => does("delete instance"),
  };
  const outcome = await startAgent(
    {
      agent: "scribe",
      profile: moorageProfile,
      identity,
      deadlineMs: 0,
      settleMs: 0,
      template,
      notes: { name: "scribe" },
      secrets: new Map(),
      admission,
    },
    {
      substrate: substrate as Substrate,
      clock: { now: () => 0, sleep: () => Promise.resolve() },
      random: { token: (digits) => "f".repeat(digits), fraction: () => 0 },
      digest: fakeDigest,
      journal: { append: () => undefined },
      signal: { aborted: false, addEventListener: () => undefined, removeEventListener: () => undefined },
    },
  );
  return { outcome: outcome.outcome, code: outcome.condition?.code, asked, created };
}

describe("an admission", () => {
  it("P2: is not asked about an agent that runs", async () => {
    const never = (): never => {
      throw new Error("nobody may ask");
    };
    const { outcome, asked } = await started([observed(evidence.started)], { begin: never, stillHolds: never });
    expect({ outcome, asked }).toEqual({ outcome: "alreadyRunning", asked: [] });
  });

  it.each([
    ["nothing is there", []],
    ["the last instance has ended", [observed(evidence.terminated)]],
  ])("that refuses leaves everything as it is where %s", async (_words, instances) => {
    const refuses: Admission = { ...passes, begin: () => Promise.resolve({ kind: "refuse", condition: closed }) };
    expect(await started(instances, refuses)).toEqual({
      outcome: "refused",
      code: "fleetClosed",
      asked: [],
      created: [],
    });
  });

  it("P9: that is over once the Secret is written creates no instance, and the Secret is taken back", async () => {
    const closes: Admission = { ...passes, stillHolds: () => Promise.resolve(closed) };
    expect(await started([], closes)).toEqual({
      outcome: "refused",
      code: "fleetClosed",
      asked: ["create secret", "delete secret"],
      created: [],
    });
  });

  it("that cannot be told now is asked again until the deadline, and nothing is left", async () => {
    const unavailable = { kind: "unavailable", detail: "locked", retryAfterMs: null } as const;
    const before = await started([], { ...passes, begin: () => Promise.resolve(unavailable) });
    expect(before).toMatchObject({ outcome: "notConfirmed", asked: [] });
    const later = await started([], { ...passes, stillHolds: () => Promise.resolve(unavailable) });
    expect(later).toMatchObject({ outcome: "notConfirmed", asked: ["create secret", "delete secret"], created: [] });
  });

  it("gives notes that are recorded on the instance, beside the declaration's own", async () => {
    const { created } = await started([], passes);
    expect(created[0]?.annotations).toMatchObject({ "moorage.dev/fleet": "writers", "moorage.dev/name": "scribe" });
  });
});
