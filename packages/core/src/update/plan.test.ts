import { expect, it } from "vitest";
import { type Fingerprint, runtimeTargetOf } from "./fingerprint.ts";
import { FingerprintError } from "./fingerprint-error.ts";
import { build, hashOf } from "./fingerprints.fixture.ts";
import { type FleetObservation, isStillTrue, type PlannedAgent, planUpdate, whatMoved } from "./plan.ts";

const target = runtimeTargetOf(build());
const newTarget = { ...target, wireVersion: 4, eventLogSchema: 8 };

const scribe: PlannedAgent = {
  agent: "scribe",
  running: { buildId: "b1", fingerprint: build() },
  takesPart: "socket",
  takesEffect: "turn",
  quarantined: false,
  release: null,
  bundle: null,
  version: "1",
};

type Changes = Partial<FleetObservation & Pick<PlannedAgent, "release" | "bundle">>;

/** What is available is so to every agent. */
function fleet({ release = null, bundle = null, ...changes }: Changes = {}, agent: Partial<PlannedAgent> = {}) {
  const { agents = [{ ...scribe, ...agent }], ...rest } = changes;
  return { fleet: "writers", epoch: 1, ...rest, agents: agents.map((one) => ({ ...one, release, bundle })) };
}

const same = { buildId: "b1", target };
const warm = { buildId: "b2", target };
const cold = { buildId: "b3", target: newTarget };
const bundleOf = (changes: Partial<Fingerprint>, digits = "b") => ({
  target: runtimeTargetOf(build(changes)),
  catalogHash: hashOf(digits),
  sequence: 2,
  digest: "d2",
});
const hot = bundleOf({});
const noOp = bundleOf({}, "a");
const other = bundleOf({ eventLogSchema: 9 });
const forNew = { ...hot, target: newTarget };

const rows: [string, Changes, Partial<PlannedAgent>, string, string, string, string][] = [
  ["nothing is available", {}, {}, "none", "none", "nothing", "–"],
  ["both are in use already", { release: same, bundle: noOp }, {}, "none", "none", "nothing", "–"],
  ["a bundle", { bundle: hot }, {}, "none", "hot", "new catalog", "next turn"],
  ["a release", { release: warm }, {}, "warm", "none", "new build", "next start"],
  ["a release of other formats", { release: cold }, {}, "cold", "none", "whole fleet moves", "after approval"],
  ["another runtime's bundle", { bundle: other }, {}, "none", "incompatible", "bundle refused", "never"],
  [
    "warm does not hide hot",
    { release: warm, bundle: hot },
    {},
    "warm",
    "hot",
    "new catalog; new build",
    "next turn; next start",
  ],
  [
    "cold does not hide hot",
    { release: cold, bundle: hot },
    {},
    "cold",
    "hot",
    "new catalog; whole fleet moves",
    "next turn; after approval",
  ],
  [
    "a refusal does not hide warm",
    { release: warm, bundle: other },
    {},
    "warm",
    "incompatible",
    "bundle refused; new build",
    "never; next start",
  ],
  [
    "a refusal does not hide cold",
    { release: cold, bundle: other },
    {},
    "cold",
    "incompatible",
    "bundle refused; whole fleet moves",
    "never; after approval",
  ],
  [
    "a bundle waits with the build that it needs",
    { release: cold, bundle: forNew },
    {},
    "cold",
    "incompatible",
    "whole fleet moves, with the bundle",
    "after approval",
  ],
  [
    "who takes no part gets it at its start",
    { bundle: hot },
    { takesPart: "nothing" },
    "none",
    "hot",
    "new catalog",
    "next start",
  ],
  [
    "files and a signal make no claim about turns",
    { bundle: hot },
    { takesPart: "files" },
    "none",
    "hot",
    "new catalog",
    "now, by a signal",
  ],
  [
    "a change that takes effect at start",
    { bundle: hot },
    { takesEffect: "start" },
    "none",
    "hot",
    "new catalog",
    "next start",
  ],
  [
    "and one by files",
    { bundle: hot },
    { takesPart: "files", takesEffect: "start" },
    "none",
    "hot",
    "new catalog",
    "next start",
  ],
  [
    "both at the next start",
    { release: warm, bundle: hot },
    { takesPart: "nothing" },
    "warm",
    "hot",
    "new catalog; new build",
    "next start",
  ],
  [
    "a bundle that failed here",
    { bundle: hot },
    { quarantined: true },
    "none",
    "hot",
    "bundle held back",
    "after a retry",
  ],
];

it.each(rows)("%s", (_, changes, agent, release, bundle, effect, when) => {
  const [plan] = planUpdate(fleet(changes, agent)).agents;
  expect([plan?.release.tier, plan?.bundle.tier, plan?.effect, plan?.when]).toEqual([release, bundle, effect, when]);
});

it("names the axes of a cold release, and the first of a refusal with both values", () => {
  const [plan] = planUpdate(fleet({ release: cold, bundle: other })).agents;
  expect(plan?.release).toEqual({ tier: "cold", axes: ["wireVersion", "eventLogSchema"] });
  expect(plan?.bundle).toEqual({ tier: "incompatible", axis: "eventLogSchema", expected: 9, actual: 7 });
});

it("has the shape that machines read", () => {
  const plan = planUpdate(fleet({ release: warm, bundle: hot }));
  expect(plan).toEqual({
    fleet: "writers",
    agents: [
      {
        agent: "scribe",
        running: scribe.running,
        release: { tier: "warm", axes: [] },
        bundle: { tier: "hot" },
        effect: "new catalog; new build",
        when: "next turn; next start",
      },
    ],
    observed: { epoch: 1, agents: [{ agent: "scribe", version: "1", release: "b2", bundle: "d2" }] },
  });
  expect(JSON.parse(JSON.stringify(plan))).toEqual(plan);
});

it("does not plan with hashes of two algorithms", () => {
  const later = { ...hot, catalogHash: `v2:sha256:${"a".repeat(64)}` };
  expect(() => planUpdate(fleet({ bundle: later }))).toThrow("never compared");
});

it.each<[string, FleetObservation]>([
  ["an agent", fleet({}, { running: { buildId: "b1", fingerprint: build({ wireVersion: -1 }) } })],
  ["the release", fleet({ release: { buildId: "b2", target: { ...target, wireVersion: -1 } } })],
  ["the bundle", fleet({ bundle: { ...hot, target: { ...target, wireVersion: -1 } } })],
])("does not plan with a malformed axis of %s", (_, observation) => {
  expect(() => planUpdate(observation)).toThrow(FingerprintError);
});

it("plans each agent with what is available to it", () => {
  const second = { ...scribe, agent: "editor", bundle: { ...hot, digest: "d9" } };
  const plan = planUpdate({ fleet: "writers", epoch: 1, agents: [{ ...scribe, release: warm }, second] });
  expect(plan.agents.map(({ effect }) => effect)).toEqual(["new build", "new catalog"]);
  const malformed = { ...second, release: { ...warm, target: { ...target, wireVersion: -1 } } };
  expect(() => planUpdate({ fleet: "writers", epoch: 1, agents: [scribe, malformed] })).toThrow(FingerprintError);
});

it("is true as long as nothing moved", () => {
  const seen = fleet({ release: warm, bundle: hot });
  const plan = planUpdate(seen);
  expect(isStillTrue(plan, fleet({ release: warm, bundle: hot }))).toBe(true);
  expect(isStillTrue(JSON.parse(JSON.stringify(plan)), seen)).toBe(true);
});

const second = { ...scribe, agent: "editor" };
it.each<[string, FleetObservation, string[]]>([
  ["the epoch", fleet({ bundle: hot, epoch: 2 }), ["epoch"]],
  ["a release", fleet({ bundle: hot, release: warm }), ["scribe"]],
  ["the bundle", fleet({ bundle: { ...hot, digest: "d3" } }), ["scribe"]],
  ["an agent", fleet({ bundle: hot }, { version: "2" }), ["scribe"]],
  ["one more agent", fleet({ bundle: hot, agents: [scribe, second] }), ["editor"]],
  ["one agent less", fleet({ bundle: hot, agents: [] }), ["scribe"]],
])("is not true any more when it moved: %s", (_, now, moved) => {
  const plan = planUpdate(fleet({ bundle: hot }));
  expect(isStillTrue(plan, now)).toBe(false);
  expect(whatMoved(plan, now)).toEqual(moved);
});
