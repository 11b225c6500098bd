import { describe, expect, it } from "vitest";
import { survey, verify } from "./observation.ts";
import { evidence, identity, observed, otherIdentity } from "./observed.fixture.ts";
import { moorageProfile } from "./profile.ts";

const key = (part: string): string => `moorage.dev/${part}`;

describe("verify", () => {
  it("takes the marker and all 64 digits, and hands on the fence of the observation", () => {
    const result = verify(observed(evidence.started), moorageProfile, identity);
    expect(result).toMatchObject({
      kind: "verified",
      instance: { fence: { uid: "uid-1", resourceVersion: "7" }, notes: { name: "scribe" } },
    });
  });

  it.each([
    ["another manager", { labels: { ...observed(evidence.started).labels, "app.kubernetes.io/managed-by": "helm" } }],
    ["no manager", { labels: { [key("agent")]: identity.slice(0, 32), [key("binding-version")]: "1" } }],
    ["another binding version", { labels: { ...observed(evidence.started).labels, [key("binding-version")]: "2" } }],
    ["no label that lists select by", { labels: { ...observed(evidence.started).labels, [key("agent")]: "" } }],
    ["no identity annotation", { annotations: {} }],
    ["only the first 32 digits", { annotations: { [key("identity")]: identity.slice(0, 32) } }],
    [
      "the same first 32 digits, another rest",
      { annotations: { [key("identity")]: identity.slice(0, 32) + otherIdentity.slice(32) } },
    ],
    ["upper case", { annotations: { [key("identity")]: identity.toUpperCase() } }],
  ])("%s: foreign, with a reason", (_name, changes) => {
    expect(verify(observed(evidence.terminated, changes), moorageProfile, identity)).toMatchObject({
      kind: "foreign",
      reason: expect.stringMatching(/label|annotation/),
    });
  });
});

it.each([
  ["control characters", "scribe\u001b[2J"],
  ["a second line", "scribe\nfoe  running"],
  ["a command of a shell", "scribe; rm -rf ~"],
])("a recorded name with %s is no name", (_what, name) => {
  const { annotations } = observed(evidence.started);
  const changed = observed(evidence.started, { annotations: { ...annotations, [key("name")]: name } });
  const result = verify(changed, moorageProfile, identity);
  expect(result.kind === "verified" && result.instance.notes.name).toBeUndefined();
});

describe("survey", () => {
  it("tells ours under our name from live and ended ones elsewhere, and leaves foreign ones out", () => {
    const found = survey(
      [
        observed(evidence.started),
        observed(evidence.recoverable, { name: "moorage-live" }),
        observed(evidence.terminated, { name: "moorage-ended" }),
        observed(evidence.started, { name: "moorage-foreign", annotations: {} }),
      ],
      moorageProfile,
      identity,
    );
    expect(found.own?.name).toBe(`moorage-${identity.slice(0, 12)}`);
    expect(found.duplicates.map(({ name }) => name)).toEqual(["moorage-live"]);
    expect(found.ended.map(({ name }) => name)).toEqual(["moorage-ended"]);
  });
});
