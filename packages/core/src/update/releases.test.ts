import { describe, expect, it } from "vitest";
import { PlainDataError } from "../plain-data.ts";
import { publishReleases, type Releases, readReleases, writeReleases } from "./releases.ts";

const target = { wireVersion: 1, eventLogSchema: 2, crdApiVersion: "moorage.dev/v1alpha1" };
const first = publishReleases(
  null,
  "writers",
  [
    { agent: "scribe", buildId: "sha256:a", target },
    { agent: "editor", buildId: "sha256:b", target },
  ],
  100,
);

describe("what is available to a fleet", () => {
  it("is what was published last of each agent, by name", () => {
    expect(first.agents.map(({ agent }) => agent)).toEqual(["editor", "scribe"]);
    const moved = publishReleases(first, "writers", [{ agent: "scribe", buildId: "sha256:c", target }], 200);
    expect(moved.agents).toEqual([
      { agent: "editor", buildId: "sha256:b", target, publishedAt: 100 },
      { agent: "scribe", buildId: "sha256:c", target, publishedAt: 200 },
    ]);
  });

  it("keeps the time of the same build, and not of the same build with another format", () => {
    const again = publishReleases(first, "writers", [{ agent: "scribe", buildId: "sha256:a", target }], 200);
    expect(again).toEqual(first);
    for (const changed of [{ wireVersion: 9 }, { eventLogSchema: 9 }, { crdApiVersion: "moorage.dev/v2" }]) {
      const other = { agent: "scribe", buildId: "sha256:a", target: { ...target, ...changed } };
      expect(publishReleases(first, "writers", [other], 200).agents[1]).toEqual({ ...other, publishedAt: 200 });
    }
  });

  it("is read as it was written, and strictly", () => {
    expect(readReleases(writeReleases(first))).toEqual(first);
    const wrong: readonly (Partial<Releases> | object)[] = [
      { ...first, format: 2 },
      { ...first, more: 1 },
      { ...first, agents: [{ ...first.agents[0], publishedAt: -1 }] },
      { ...first, agents: [{ ...first.agents[0], target: { ...target, wireVersion: -1 } }] },
      { ...first, agents: [{ agent: "scribe", buildId: "sha256:a", target }] },
    ];
    for (const one of wrong) expect(() => readReleases(JSON.stringify(one))).toThrow(PlainDataError);
    expect(() => readReleases("{")).toThrow(PlainDataError);
  });
});
