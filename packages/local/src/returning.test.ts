import { moorageProfile, startAgent } from "@moorage/core";
import { awakeClock } from "@moorage/harness";
import { sha256, systemRandom } from "@moorage/keys";
import { expect, it } from "vitest";
import type { Status } from "./instance-row.ts";
import type { Place, TestAgent } from "./scope.fixture.ts";
import {
  forgeStatus,
  lives,
  pidsOf,
  present,
  remove,
  scopeForEach,
  startTestAgent,
  testAgent,
  untilAbsent,
} from "./scope.fixture.ts";
import type { Scope } from "./scope.ts";

let place: Place;
let scope: Scope;

scopeForEach((made, opened) => {
  place = made;
  scope = opened;
});

function deploy(agent: TestAgent, buildId: string): ReturnType<typeof startAgent> {
  return startAgent(
    {
      agent: "scribe",
      profile: moorageProfile,
      identity: agent.identity,
      deadlineMs: 1_500,
      settleMs: 0,
      template: { ...agent.spec.template, buildId },
      notes: { name: "scribe" },
      secrets: new Map(),
    },
    {
      substrate: scope.substrate,
      clock: awakeClock(),
      random: systemRandom,
      digest: sha256,
      journal: scope.journal,
      signal: new AbortController().signal,
    },
  );
}

it.each<[string, (status: Status & { readonly phase: "running" }) => Status]>([
  [
    "nothing is spawned yet",
    ({ startedAt }) => ({ phase: "waiting", code: "returning", message: "back", secretMissing: false, startedAt }),
  ],
  ["its program was not seen yet", ({ mark, startedAt }) => ({ phase: "spawned", mark, startedAt })],
])("a deploy of another build neither ends nor doubles what is brought back, when %s", async (_when, back) => {
  const agent = testAgent("scribe", ["sleep", "1000"]);
  const { fence } = await startTestAgent(scope, agent);
  const before = await pidsOf(scope, agent);
  // What its supervisor has on record while it brings its agent back.
  forgeStatus(place, back);
  const outcome = await deploy(agent, "another build");
  expect(outcome).toMatchObject({ outcome: "notConfirmed", intent: "diverged" });
  expect(outcome.actions.map(({ action }) => action)).not.toContain("delete");
  const observed = await present(scope, agent);
  expect(observed).toMatchObject({ fence: { uid: fence.uid }, deletion: null });
  expect(observed.startedAt).not.toBeNull();
  expect(lives(before.agent) && lives(before.supervisor)).toBe(true);
  expect(await remove(scope, agent)).toBe("accepted");
  await untilAbsent(scope.substrate, agent);
  expect(lives(before.agent)).toBe(false);
});
