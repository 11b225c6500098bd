import type { Ending, Evidence, ObservedInstance } from "@moorage/core";
import { instanceMarks, instanceName, moorageProfile, nameIdentity } from "@moorage/core";
import { sha256, systemRandom } from "@moorage/keys";
import { awakeClock } from "@moorage/local";
import { expect, test } from "vitest";
import type { LaunchPlan } from "../launch/start-request.ts";
import type { Session } from "../session.ts";
import type { KeepNews } from "./keep-loop.ts";
import { keepLoop } from "./keep-loop.ts";

const identity = nameIdentity("a", sha256);
const name = instanceName(moorageProfile, identity);
const plan = { agent: "a", identity } as LaunchPlan;

/** One instance in one state, and the revives of the last hour. Every create or delete would be a bug here. */
function sessionWith(evidence: Evidence["container"] | null, revives: number[] = [], deleted = false): Session {
  const observed: ObservedInstance = {
    name,
    fence: { uid: "u1", resourceVersion: "1" },
    deletion: deleted ? { since: null, finalizers: [] } : null,
    evidence: { container: evidence ?? { state: "running" }, phase: "running", nodeLost: null },
    attempt: null,
    startedAt: "2026-01-01T00:00:00.000Z",
    ...instanceMarks(moorageProfile, identity, "", {}),
  };
  const clock = awakeClock();
  const scope = {
    on: "local",
    lookMs: 2_000,
    substrate: {
      scope: "test",
      readInstances: () =>
        Promise.resolve({ kind: "read", instances: evidence === null ? [] : [observed], version: "1" }),
    },
    revives: () => Promise.resolve(revives),
    changed: (ms: number, signal: AbortSignal) => clock.sleep(ms, signal),
  };
  return { scope, clock, random: systemRandom, launchEnv: {} } as unknown as Session;
}

/** What the loop tells first. */
async function firstNews(session: Session, now = 10_000_000): Promise<KeepNews> {
  const stop = new AbortController();
  const told: KeepNews[] = [];
  await keepLoop([plan], {
    session,
    journal: { append: () => undefined },
    signal: stop.signal,
    wallTime: () => now,
    plan: () => Promise.reject(new Error("nothing is planned here")),
    lastWords: () => Promise.resolve(["the last line"]),
    tell: (news) => {
      told.push(news);
      stop.abort();
    },
  });
  expect(told).toHaveLength(1);
  return told[0] as KeepNews;
}

function ended(ending: Partial<Ending>): Evidence["container"] {
  const whole: Ending = { reason: "exited", exitCode: 1, signal: null, detail: null, at: "2026-01-01T00:00:05.000Z" };
  return { state: "terminated", ending: { ...whole, ...ending } };
}

test("a crash is started again after ten seconds", async () => {
  expect(await firstNews(sessionWith(ended({})))).toMatchObject({
    code: "revivesIn",
    notice: false,
    message: expect.stringContaining("in 10 s") as string,
  });
});

test("exit code 75 asks for the longest step", async () => {
  expect((await firstNews(sessionWith(ended({ exitCode: 75 })))).message).toContain("in 300 s");
});

test.each([
  [{ exitCode: 78 }, "configuration"],
  [{ exitCode: 0 }, "by itself"],
  [{ reason: "stopped" as const }, "on request"],
  [{ reason: "idle" as const }, "idle"],
])("an ending %j is told with the last words, and not started again", async (ending, why) => {
  expect(await firstNews(sessionWith(ended(ending)))).toMatchObject({
    code: "notRevived",
    notice: true,
    log: ["the last line"],
    message: expect.stringContaining(why) as string,
  });
});

test("a used-up hour is a notice that says when it refills", async () => {
  const now = 10_000_000;
  const revives = [1, 2, 3, 4, 5].map((at) => now - at * 60_000);
  const told = await firstNews(sessionWith(ended({}), revives), now);
  expect(told).toMatchObject({
    code: "exhausted",
    notice: true,
    message: expect.stringContaining("in 55 min") as string,
  });
});

test("what is not there was stopped by somebody, and what runs or ends is watched", async () => {
  expect((await firstNews(sessionWith(null))).code).toBe("absent");
  expect((await firstNews(sessionWith({ state: "running" }))).code).toBe("watching");
  expect((await firstNews(sessionWith(ended({}), [], true))).code).toBe("watching");
});
