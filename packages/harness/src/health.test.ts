import { describe, expect, it } from "vitest";
import type { Health } from "./health.ts";
import { fileHealth, sameHealth, toldHealth } from "./health.ts";

const unknown: Health = { kind: "unknown" };
const healthy: Health = { kind: "healthy", detail: null };
const sick: Health = { kind: "unhealthy", since: "2026-01-01T00:00:00.000Z", detail: "no answer" };
const now = Date.parse("2026-01-02T00:00:00.000Z");

describe("what the agent puts", () => {
  it("makes it healthy", () => {
    expect(toldHealth(sick, { ok: true, detail: "fine" }, "now")).toEqual({ kind: "healthy", detail: "fine" });
  });
  it("makes it unhealthy since then", () => {
    expect(toldHealth(healthy, { ok: false, detail: "no answer" }, "then")).toEqual({ ...sick, since: "then" });
  });
  it("keeps since when it is unhealthy", () => {
    expect(toldHealth(sick, { ok: false, detail: "worse" }, "later")).toEqual({ ...sick, detail: "worse" });
  });
});

describe("a health file", () => {
  it.each<readonly [string, Health, number | null, Health]>([
    ["that was never there says nothing", unknown, null, unknown],
    ["that is younger than its age", unknown, now - 9_999, healthy],
    ["from the future", sick, now + 60_000, healthy],
    [
      "that has just become too old",
      healthy,
      now - 10_000,
      { kind: "unhealthy", since: "2026-01-02T00:00:00.000Z", detail: "its health file is older than 10 s" },
    ],
    [
      "that is gone",
      healthy,
      null,
      { kind: "unhealthy", since: "2026-01-02T00:00:00.000Z", detail: "its health file is gone" },
    ],
    ["that stays too old", sick, now - 99_000, sick],
    ["that stays away", sick, null, sick],
  ])("%s", (_name, before, modified, after) => {
    expect(fileHealth(before, modified, now, 10_000)).toEqual(after);
  });
});

describe("sameHealth", () => {
  it("tells a change of kind or words", () => {
    expect(sameHealth(healthy, healthy)).toBe(true);
    expect(sameHealth(unknown, unknown)).toBe(true);
    expect(sameHealth(healthy, sick)).toBe(false);
    expect(sameHealth(unknown, healthy)).toBe(false);
    expect(sameHealth(sick, { ...sick, detail: "other" })).toBe(false);
  });
});
