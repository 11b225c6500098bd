import { describe, expect, it } from "vitest";
import type { GcInput } from "./gc.ts";
import { planGc } from "./gc.ts";
import type { Attempt } from "./identity.ts";
import { secretName } from "./identity.ts";
import { secretMarks } from "./marks.ts";
import type { ObservedSecret } from "./observation.ts";
import { attempt, evidence, identity, observed, otherIdentity } from "./observed.fixture.ts";
import { moorageProfile } from "./profile.ts";

const now = 1_800_000_000_000;
const minute = 60_000;
const other = "fedcba9876543210" as Attempt;

function secret(
  age: number,
  changes: Partial<ObservedSecret> & { of?: Attempt; deadline?: number } = {},
): ObservedSecret {
  const { of = attempt, deadline = 90, ...rest } = changes;
  return {
    name: secretName(moorageProfile, identity, of),
    fence: { uid: `secret-${of}`, resourceVersion: "3" },
    createdAt: now - age,
    ...secretMarks(moorageProfile, identity, deadline),
    ...rest,
  };
}

function plan(changes: Partial<GcInput>): ReturnType<typeof planGc> {
  return planGc({
    profile: moorageProfile,
    identity,
    secrets: [],
    serverTime: now,
    instances: [],
    current: null,
    gone: new Set(),
    ...changes,
  });
}

const names = (changes: Partial<GcInput>): string[] => plan(changes).secrets.map(({ name }) => name);

describe("planGc: Secrets", () => {
  it("takes an orphan older than twice 600 s, with its fence", () => {
    expect(plan({ secrets: [secret(20 * minute + 1)] }).secrets).toEqual([
      { name: secret(0).name, fence: { uid: `secret-${attempt}`, resourceVersion: "3" } },
    ]);
    expect(names({ secrets: [secret(20 * minute)] })).toEqual([]);
  });

  it("waits for twice the recorded deadline when that is longer", () => {
    expect(names({ secrets: [secret(59 * minute, { deadline: 1800 })] })).toEqual([]);
    expect(names({ secrets: [secret(61 * minute, { deadline: 1800 })] })).toHaveLength(1);
  });

  it.each([
    ["referenced by a started instance", { instances: [observed(evidence.started)] }],
    ["referenced by one that never started", { instances: [observed(evidence.recoverable)] }],
    ["referenced by a foreign object", { instances: [observed(evidence.started, { annotations: {} })] }],
    ["the current attempt's", { current: attempt }],
    ["judged by no server clock", { serverTime: null }],
  ] satisfies [string, Partial<GcInput>][])("never one that is %s", (_name, changes) => {
    expect(names({ secrets: [secret(100 * minute)], ...changes })).toEqual([]);
  });

  it("never one without a readable creation time, and never a foreign one", () => {
    expect(names({ secrets: [secret(100 * minute, { createdAt: null })] })).toEqual([]);
    expect(names({ secrets: [secret(100 * minute, { labels: {} })] })).toEqual([]);
    expect(
      names({ secrets: [{ ...secret(100 * minute), ...secretMarks(moorageProfile, otherIdentity, 90) }] }),
    ).toEqual([]);
    expect(names({ secrets: [secret(100 * minute, { name: "moorage-something-else" })] })).toEqual([]);
  });

  it("takes at once the one whose instance this call saw gone, but not while anything references it", () => {
    const gone = new Set([attempt]);
    expect(names({ secrets: [secret(0)], gone, serverTime: null })).toHaveLength(1);
    expect(names({ secrets: [secret(0)], gone, instances: [observed(evidence.recoverable)] })).toEqual([]);
    expect(names({ secrets: [secret(0, { of: other })], gone })).toEqual([]);
  });
});

describe("planGc: ended instances", () => {
  it("takes those under other names, fenced, and leaves ours to the rules", () => {
    const { instances } = plan({
      instances: [
        observed(evidence.terminated),
        observed(evidence.terminated, { name: "moorage-older", attempt: other }),
      ],
    });
    expect(instances).toEqual([
      { name: "moorage-older", fence: { uid: "uid-1", resourceVersion: "7" }, attempt: other },
    ]);
  });

  it.each(["started", "recoverable", "interrupted", "pullFailing", "cannotTell", "abandoned"] as const)(
    "never one that is %s",
    (state) => {
      expect(plan({ instances: [observed(evidence[state], { name: "moorage-older" })] }).instances).toEqual([]);
    },
  );

  it("never a foreign one, nor one that is on its way out", () => {
    const marked = { name: "moorage-older", deletion: { since: null, finalizers: [] } };
    expect(
      plan({
        instances: [
          observed(evidence.terminated, marked),
          observed(evidence.terminated, { name: "x", annotations: {} }),
        ],
      }).instances,
    ).toEqual([]);
  });
});
