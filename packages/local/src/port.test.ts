import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Hint } from "@moorage/core";
import { describe, expect, it } from "vitest";
import type { Place } from "./scope.fixture.ts";
import {
  look,
  processesOf,
  scopeForEach,
  startTestAgent,
  testAgent,
  untilAbsent,
  untilState,
} from "./scope.fixture.ts";
import type { Scope } from "./scope.ts";

let place: Place;
let scope: Scope;

scopeForEach((made, opened) => {
  place = made;
  scope = opened;
});

describe("the port", () => {
  it("lets one of 20 creates at once win, with one process", async () => {
    const attempts = Array.from({ length: 20 }, () => testAgent("scribe", ["sleep", "1000"]));
    for (const agent of attempts) await scope.substrate.createSecret(agent.secret);
    const other = await place.open();
    const results = await Promise.all(
      attempts.map((agent, at) => (at % 2 === 0 ? scope : other).substrate.createInstance(agent.spec)),
    );
    expect(results.filter(({ kind }) => kind === "created")).toHaveLength(1);
    expect(results.filter(({ kind }) => kind === "alreadyExists")).toHaveLength(19);
    const [first] = attempts;
    if (first === undefined) throw new Error("none");
    await untilState(scope.substrate, first, "running");
    expect(
      processesOf(place.directory).filter((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").startsWith("sleep")),
    ).toHaveLength(1);
    expect(
      readdirSync(join(place.stateDir, "instances", first.instance)).filter((name) => /^\d/.test(name)),
    ).toHaveLength(1);
  });

  it("compares UID and version in a delete, and knows what is not there", async () => {
    const agent = testAgent("scribe", ["sleep", "1000"]);
    const { fence } = await startTestAgent(scope, agent);
    const { substrate } = scope;
    expect(await substrate.deleteInstance(agent.instance, { ...fence, uid: "0" })).toEqual({ kind: "conflict" });
    expect(await substrate.deleteInstance(agent.instance, { ...fence, resourceVersion: "1" })).toEqual({
      kind: "conflict",
    });
    expect(await substrate.deleteInstance("moorage-none", fence)).toEqual({ kind: "notFound" });
    expect((await look(substrate, agent))?.deletion).toBeNull();
    expect(await substrate.createInstance(agent.spec)).toEqual({ kind: "alreadyExists" });
    expect(await substrate.readName("moorage-none")).toEqual({ kind: "absent" });
    expect((await substrate.readName(agent.instance)).kind).toBe("found");
  });

  it("keeps Secrets under fences, with an age by a clock of its own", async () => {
    const { secret, identity } = testAgent("scribe", ["true"]);
    const created = await scope.substrate.createSecret(secret);
    if (created.kind !== "created") throw new Error(created.kind);
    expect(await scope.substrate.createSecret(secret)).toEqual({ kind: "alreadyExists" });
    const listing = await scope.substrate.listSecrets(identity);
    if (listing.kind !== "read") throw new Error(listing.kind);
    expect(listing.secrets).toMatchObject([
      { name: secret.name, fence: created.fence, annotations: secret.annotations },
    ]);
    const age = (listing.serverTime ?? 0) - (listing.secrets[0]?.createdAt ?? 0);
    expect(age).toBeGreaterThanOrEqual(0);
    expect(age).toBeLessThan(60_000);
    const stale = { ...created.fence, resourceVersion: "0" };
    expect(await scope.substrate.deleteSecret(secret.name, stale)).toEqual({ kind: "conflict" });
    expect(await scope.substrate.deleteSecret(secret.name, created.fence)).toEqual({ kind: "accepted" });
    expect(await scope.substrate.deleteSecret(secret.name, created.fence)).toEqual({ kind: "notFound" });
    expect(await scope.substrate.secretExists(secret.name)).toEqual({ kind: "absent" });
  });

  it("tells followers every state and the removal with the last one", async () => {
    const agent = testAgent("scribe", ["sleep", "1000"]);
    const before = await scope.substrate.readInstances(agent.identity);
    if (before.kind !== "read") throw new Error(before.kind);
    const stop = new AbortController();
    const seen: Hint[] = [];
    const following = (async () => {
      for await (const hint of scope.substrate.follow(agent.identity, before.version, stop.signal)) {
        seen.push(hint);
        if (hint.kind !== "changed") break;
      }
    })();
    const observed = await startTestAgent(scope, agent);
    await scope.substrate.deleteInstance(agent.instance, observed.fence);
    await following;
    stop.abort();
    const states = seen.map((hint) => (hint.kind === "changed" ? hint.instance.evidence.container.state : hint.kind));
    expect(states).toContain("running");
    const last = seen.at(-1);
    expect(last).toMatchObject({
      kind: "removed",
      last: { evidence: { container: { state: "terminated", ending: { reason: "stopped" } } } },
    });
    const versions = seen.map((hint) =>
      Number(
        hint.kind === "changed"
          ? hint.instance.fence.resourceVersion
          : hint.kind === "removed"
            ? hint.last.fence.resourceVersion
            : 0,
      ),
    );
    expect(versions).toEqual([...versions].sort((a, b) => a - b));
  });

  it("replays a removal that happened before the follow began, and says when a version is unknown", async () => {
    const agent = testAgent("scribe", ["sleep", "1000"]);
    const observed = await startTestAgent(scope, agent);
    const reading = await scope.substrate.readInstances(agent.identity);
    if (reading.kind !== "read") throw new Error(reading.kind);
    await scope.substrate.deleteInstance(agent.instance, observed.fence);
    await untilAbsent(scope.substrate, agent);
    const stop = new AbortController();
    const [first] = await firstOf(scope.substrate.follow(agent.identity, reading.version, stop.signal));
    expect(first?.kind).toBe("removed");
    const [over] = await firstOf(scope.substrate.follow(agent.identity, "999999", stop.signal));
    expect(over?.kind).toBe("over");
    stop.abort();
  });

  it("ends a follow at its signal", async () => {
    const agent = testAgent("scribe", ["true"]);
    const stop = new AbortController();
    const next = scope.substrate.follow(agent.identity, "1", stop.signal)[Symbol.asyncIterator]().next();
    stop.abort();
    expect((await next).done).toBe(true);
  });
});

async function firstOf(hints: AsyncIterable<Hint>): Promise<Hint[]> {
  for await (const hint of hints) return [hint];
  return [];
}
