import { describe, expect, it } from "vitest";
import { readPodSettings } from "./pod-settings.ts";

const told = {
  MOORAGE_COMMAND: '["node","agent.ts","--fast"]',
  MOORAGE_DRAIN_MS: "30000",
  MOORAGE_GRACE_MS: "60000",
  MOORAGE_HEALTH: '{"kind":"none"}',
  MOORAGE_AGENT: "scribe",
  MOORAGE_INSTANCE: "moorage-0123456789ab",
  MOORAGE_ATTEMPT: "0123456789abcdef",
  MOORAGE_WORKSPACE: "/workspace",
};

function settingsOf(change: Readonly<Record<string, string | undefined>>) {
  const reading = readPodSettings({ ...told, ...change });
  return reading.kind === "read" ? reading.settings : expect.fail(JSON.stringify(reading.mistakes));
}

function mistakesOf(change: Readonly<Record<string, string | undefined>>): readonly string[] {
  const reading = readPodSettings({ ...told, ...change });
  return reading.kind === "wrong" ? reading.mistakes.map(({ variable, what }) => `${variable} ${what}`) : [];
}

describe("what the harness in a pod is told", () => {
  it("is all that it needs", () => {
    expect(settingsOf({})).toMatchObject({
      agent: "scribe",
      instance: "moorage-0123456789ab",
      attempt: "0123456789abcdef",
      command: ["node", "agent.ts", "--fast"],
      drainMs: 30_000,
      idleMs: null,
      health: { kind: "none" },
      workspace: "/workspace",
      directory: null,
      catalog: null,
    });
    expect(
      settingsOf({ MOORAGE_IDLE_MS: "7200000", MOORAGE_DIRECTORY: "/agent", MOORAGE_CATALOG: "/agent/catalog" }),
    ).toMatchObject({ idleMs: 7_200_000, directory: "/agent", catalog: "/agent/catalog" });
  });

  it("keeps its own variables from the agent, and nothing else", () => {
    const { env } = settingsOf({
      MOORAGE_IDLE_MS: "7200000",
      MOORAGE_DIRECTORY: "/agent",
      PATH: "/bin",
      API_KEY: "planted",
      UNSET: undefined,
    });
    expect(env).toEqual({
      PATH: "/bin",
      API_KEY: "planted",
      MOORAGE_AGENT: "scribe",
      MOORAGE_INSTANCE: "moorage-0123456789ab",
      MOORAGE_ATTEMPT: "0123456789abcdef",
      MOORAGE_WORKSPACE: "/workspace",
    });
  });

  const graces: readonly [grace: string, drain: string, used: number][] = [
    ["60000", "30000", 58_000],
    ["8000", "6000", 7_000],
    ["1000", "998", 999],
    ["300000", "0", 298_000],
  ];
  it.each(graces)(
    "of a grace of %s ms, drain %s ms in it, it leaves time for the end to be told",
    (grace, drain, used) => {
      expect(settingsOf({ MOORAGE_GRACE_MS: grace, MOORAGE_DRAIN_MS: drain }).graceMs).toBe(used);
    },
  );

  const healths: readonly [string, object][] = [
    ['{"kind":"socket"}', { kind: "socket" }],
    ['{"kind":"file","path":"alive","maxAgeMs":5000}', { kind: "file", path: "alive", maxAgeMs: 5_000 }],
  ];
  it.each(healths)("takes the health %s", (text, health) => {
    expect(settingsOf({ MOORAGE_HEALTH: text }).health).toEqual(health);
  });

  it.each(Object.keys(told))("is refused without %s", (variable) => {
    expect(mistakesOf({ [variable]: undefined })).toEqual([`${variable} is not set`]);
    expect(mistakesOf({ [variable]: "" })).toEqual([`${variable} is not set`]);
  });

  const wrong: readonly [Readonly<Record<string, string>>, string][] = [
    [{ MOORAGE_COMMAND: "node agent.ts" }, "MOORAGE_COMMAND is not a JSON array of strings"],
    [{ MOORAGE_COMMAND: '["node",1]' }, "MOORAGE_COMMAND is not a JSON array of strings"],
    [{ MOORAGE_COMMAND: '"node"' }, "MOORAGE_COMMAND is not a JSON array of strings"],
    [{ MOORAGE_COMMAND: '["a\\u0000b"]' }, "MOORAGE_COMMAND is not a JSON array of strings"],
    [{ MOORAGE_COMMAND: "[]" }, "MOORAGE_COMMAND names no command: the declaration needs run.command"],
    [{ MOORAGE_COMMAND: '[""]' }, "MOORAGE_COMMAND names no command: the declaration needs run.command"],
    [{ MOORAGE_DRAIN_MS: "30s" }, "MOORAGE_DRAIN_MS is not a whole number of milliseconds"],
    [{ MOORAGE_DRAIN_MS: "-1" }, "MOORAGE_DRAIN_MS is not a whole number of milliseconds"],
    [{ MOORAGE_GRACE_MS: "1e3" }, "MOORAGE_GRACE_MS is not a whole number of milliseconds"],
    [{ MOORAGE_GRACE_MS: "30000" }, "MOORAGE_GRACE_MS is not more than MOORAGE_DRAIN_MS, which it contains"],
    [{ MOORAGE_IDLE_MS: "" }, "MOORAGE_IDLE_MS is not set"],
    [{ MOORAGE_IDLE_MS: "soon" }, "MOORAGE_IDLE_MS is not a whole number of milliseconds"],
    [
      { MOORAGE_IDLE_MS: "0" },
      "MOORAGE_IDLE_MS is 0, which would end the agent at once; without a limit it is not set",
    ],
    [
      { MOORAGE_HEALTH: '{"kind":"file","path":"alive"}' },
      'MOORAGE_HEALTH is none of {"kind":"none"}, {"kind":"socket"}, {"kind":"file","path":…,"maxAgeMs":…}',
    ],
    [
      { MOORAGE_HEALTH: "fine" },
      'MOORAGE_HEALTH is none of {"kind":"none"}, {"kind":"socket"}, {"kind":"file","path":…,"maxAgeMs":…}',
    ],
    [{ MOORAGE_WORKSPACE: "workspace" }, "MOORAGE_WORKSPACE is not an absolute path"],
    [{ MOORAGE_DIRECTORY: "agent" }, "MOORAGE_DIRECTORY is not an absolute path"],
    [{ MOORAGE_CATALOG: "catalog" }, "MOORAGE_CATALOG is not an absolute path"],
  ];
  it.each(wrong)("%j is refused in words", (change, words) => {
    expect(mistakesOf(change)).toEqual([words]);
  });

  it("has all of its mistakes told at once", () => {
    expect(mistakesOf({ MOORAGE_COMMAND: "x", MOORAGE_GRACE_MS: "y", MOORAGE_AGENT: "" })).toHaveLength(3);
  });
});
