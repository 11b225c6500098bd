import fc from "fast-check";
import { expect, it } from "vitest";
import { classifyUpdate } from "./classify-update.ts";
import { evaluateBundle } from "./evaluate-bundle.ts";
import { type Fingerprint, runtimeTargetOf } from "./fingerprint.ts";
import { hashOf } from "./fingerprints.fixture.ts";
import { type PlannedAgent, planUpdate } from "./plan.ts";

const fingerprints: fc.Arbitrary<Fingerprint> = fc.record({
  wireVersion: fc.constantFrom(1, 2),
  eventLogSchema: fc.constantFrom(1, 2),
  crdApiVersion: fc.constantFrom("moorage.dev/v1", "moorage.dev/v2"),
  toolCatalogHash: fc.constantFrom(hashOf("a"), hashOf("b")),
});
const buildIds = fc.constantFrom("b1", "b2");
const agents: fc.Arbitrary<Omit<PlannedAgent, "release" | "bundle">> = fc.record({
  agent: fc.constant("scribe"),
  running: fc.record({ buildId: buildIds, fingerprint: fingerprints }),
  takesPart: fc.constantFrom("socket", "files", "nothing"),
  takesEffect: fc.constantFrom("turn", "start"),
  quarantined: fc.boolean(),
  version: fc.constant("1"),
});
const releases = fc.option(fc.record({ buildId: buildIds, target: fingerprints.map(runtimeTargetOf) }), { nil: null });
const bundles = fc.option(
  fingerprints.map((author) => ({
    target: runtimeTargetOf(author),
    catalogHash: author.toolCatalogHash,
    sequence: 2,
    digest: "d",
  })),
  { nil: null },
);

it("neither part depends on the other, and both say what the two decisions say", () => {
  fc.assert(
    fc.property(agents, releases, bundles, (agent, release, bundle) => {
      const planned = { ...agent, release, bundle };
      const [plan] = planUpdate({ fleet: "f", epoch: 1, agents: [planned] }).agents;
      const [released] = planUpdate({ fleet: "f", epoch: 1, agents: [{ ...planned, bundle: null }] }).agents;
      const [bundled] = planUpdate({ fleet: "f", epoch: 1, agents: [{ ...planned, release: null }] }).agents;
      expect(plan?.release).toEqual(released?.release);
      expect(plan?.bundle).toEqual(bundled?.bundle);
      const { fingerprint } = agent.running;
      if (bundle !== null)
        expect(plan?.bundle.tier === "incompatible").toBe(evaluateBundle(bundle, fingerprint).tier === "incompatible");
      if (release !== null) {
        const { toolCatalogHash } = fingerprint;
        const tier = classifyUpdate(fingerprint, { ...release.target, toolCatalogHash });
        expect(plan?.release.tier === "cold").toBe(tier === "cold");
      }
    }),
  );
});

it("a format that does not fit never comes at a turn, and nothing hot happens to a bundle that is held back", () => {
  fc.assert(
    fc.property(agents, releases, bundles, (agent, release, bundle) => {
      const [plan] = planUpdate({ fleet: "f", epoch: 1, agents: [{ ...agent, release, bundle }] }).agents;
      const effective = plan?.when.includes("next turn") === true || plan?.when.includes("signal") === true;
      if (effective) expect(plan?.bundle.tier).toBe("hot");
      if (effective) expect(agent.quarantined || agent.takesPart === "nothing").toBe(false);
    }),
  );
});
