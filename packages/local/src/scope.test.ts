import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Place } from "./scope.fixture.ts";
import {
  endNow,
  lives,
  look,
  processesOf,
  scopeForEach,
  startTestAgent,
  testAgent,
  until,
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

async function pidOf(name: string): Promise<number> {
  const pid = (await scope.facts([name]))[0]?.pid;
  if (pid === undefined || pid === null) throw new Error("it has no process");
  return pid;
}

describe("one life", () => {
  it("runs with what was declared and nothing else, is described by facts, and is gone after its end", async () => {
    const agent = testAgent("scribe", ["sh", "-c", 'cd "$MOORAGE_WORKSPACE"; env > new; mv new env; exec sleep 1000']);
    const observed = await startTestAgent(scope, agent);
    expect(observed.attempt).toBe(agent.spec.secret.slice(agent.instance.length + 1));
    const [facts] = await scope.facts();
    if (facts === undefined) throw new Error("no facts");
    expect(facts).toMatchObject({
      name: agent.instance,
      supervisor: { state: "alive" },
      turn: null,
      health: { state: "unknown" },
      revives: 0,
      previousLogs: null,
    });
    // A process that is just being replaced by its program has no memory for a moment.
    await until(
      () => "its memory is told",
      async () => ((await scope.facts([agent.instance]))[0]?.memoryBytes ?? 0) > 0,
    );
    await until(
      () => "it wrote its environment",
      () => existsSync(join(facts.workspace, "env")),
    );
    const variables = readFileSync(join(facts.workspace, "env"), "utf8").trim().split("\n");
    const names = variables.map((line) => line.split("=")[0] ?? "");
    expect(names.toSorted((a, b) => (a < b ? -1 : 1))).toEqual(
      [
        "API_KEY",
        "COLOUR",
        "HOME",
        "MOORAGE_AGENT",
        "MOORAGE_ATTEMPT",
        "MOORAGE_INSTANCE",
        "MOORAGE_SOCKET",
        "MOORAGE_STATE",
        "MOORAGE_WORKSPACE",
        "OLDPWD",
        "PATH",
        "PWD",
        "TMPDIR",
      ].sort(),
    );
    expect(await scope.substrate.deleteInstance(agent.instance, observed.fence)).toEqual({ kind: "accepted" });
    await untilAbsent(scope.substrate, agent);
    expect(lives(facts.pid ?? 0)).toBe(false);
    await until(
      () => "its supervisor has left",
      () => !lives(facts.supervisor.pid ?? 0),
    );
    expect(existsSync(facts.workspace)).toBe(true);
    expect(await scope.purge(agent.instance)).toBe("purged");
    expect(existsSync(facts.workspace)).toBe(false);
    expect(await scope.purge(agent.instance)).toBe("nothing");
  });

  it("keeps every file to its owner, and the value of a Secret in the database alone", async () => {
    const agent = testAgent("scribe", ["sleep", "1000"]);
    await startTestAgent(scope, agent);
    const holders: string[] = [];
    const loose: string[] = [];
    for (const entry of readdirSync(place.stateDir, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isSymbolicLink()) continue;
      if ((statSync(path).mode & 0o077) !== 0) loose.push(path);
      if (entry.isFile() && readFileSync(path).includes("planted-value")) holders.push(entry.name);
    }
    expect(loose).toEqual([]);
    expect(holders.filter((name) => !name.startsWith("state.db"))).toEqual([]);
    for (const pid of processesOf(place.directory))
      expect(readFileSync(`/proc/${pid}/cmdline`, "utf8")).not.toContain("planted-value");
    expect(await scope.purge(agent.instance)).toBe("stillThere");
  });

  it("tells an end by itself with its exit code, until it is deleted", async () => {
    const agent = testAgent("scribe", ["sh", "-c", "exit 7"]);
    await scope.substrate.createSecret(agent.secret);
    await scope.substrate.createInstance(agent.spec);
    const observed = await untilState(scope.substrate, agent, "terminated");
    expect(observed.evidence.container).toMatchObject({ ending: { reason: "exited", exitCode: 7 } });
    await until(
      () => "its supervisor has left",
      async () => {
        return (await scope.facts())[0]?.supervisor.state === "ended";
      },
    );
    expect(await scope.substrate.deleteInstance(agent.instance, observed.fence)).toEqual({ kind: "accepted" });
    await untilAbsent(scope.substrate, agent);
  });

  it("tells a command that is not there as an end before the start", async () => {
    const agent = testAgent("scribe", ["no-such-command"]);
    await scope.substrate.createSecret(agent.secret);
    await scope.substrate.createInstance(agent.spec);
    const observed = await untilState(scope.substrate, agent, "terminated");
    expect(observed.evidence.container).toMatchObject({ ending: { reason: "notStarted" } });
  });

  it("waits for a Secret that is missing, says so, and starts when it comes", async () => {
    const agent = testAgent("scribe", ["sleep", "1000"]);
    await scope.substrate.createInstance(agent.spec);
    await until(
      () => "it misses its Secret",
      async () => {
        const container = (await look(scope.substrate, agent))?.evidence.container;
        return container?.state === "waiting" && container.suspicion.kind === "secretMissing";
      },
    );
    expect(await scope.substrate.secretExists(agent.spec.secret)).toEqual({ kind: "absent" });
    await scope.substrate.createSecret(agent.secret);
    await untilState(scope.substrate, agent, "running");
  });

  it("can be deleted while it waits for its Secret", async () => {
    const agent = testAgent("scribe", ["sleep", "1000"]);
    await scope.substrate.createInstance(agent.spec);
    await until(
      () => "it misses its Secret",
      async () => (await scope.facts())[0]?.waiting?.includes("Secret") === true,
    );
    const observed = await look(scope.substrate, agent);
    if (observed === null) throw new Error("nothing there");
    await scope.substrate.deleteInstance(agent.instance, observed.fence);
    await untilAbsent(scope.substrate, agent);
    await until(
      () => "nothing is left",
      () => processesOf(place.directory).length === 0,
    );
  });

  it("gets a copy of its catalog that no later edit reaches", async () => {
    const catalog = join(place.directory, "catalog");
    const { mkdirSync } = await import("node:fs");
    mkdirSync(catalog);
    writeFileSync(join(catalog, "prompt.md"), "first");
    const agent = testAgent(
      "scribe",
      ["sh", "-c", 'cp -r "$MOORAGE_CATALOG" "$MOORAGE_WORKSPACE/seen"; exec sleep 1000'],
      {
        catalog: { path: catalog, signal: null },
      },
    );
    await startTestAgent(scope, agent);
    writeFileSync(join(catalog, "prompt.md"), "second");
    const workspace = (await scope.facts())[0]?.workspace ?? "";
    await until(
      () => "it copied",
      () => existsSync(join(workspace, "seen", "prompt.md")),
    );
    expect(readFileSync(join(workspace, "seen", "prompt.md"), "utf8")).toBe("first");
    expect(readFileSync(join(workspace, "..", "current", "catalog", "prompt.md"), "utf8")).toBe("first");
  });

  it("keeps the logs of the run before, and clears older ones", async () => {
    const agent = testAgent("scribe", ["sh", "-c", "echo said; exec sleep 1000"]);
    for (let run = 0; run < 4; run += 1) {
      const again = testAgent("scribe", agent.spec.template.command);
      const observed = await startTestAgent(scope, again);
      if (run === 3) break;
      await scope.substrate.deleteInstance(agent.instance, observed.fence);
      await untilAbsent(scope.substrate, again);
    }
    await scope.settled();
    const [facts] = await scope.facts();
    const runs = readdirSync(join(place.stateDir, "instances", agent.instance)).filter((name) => /^\d/.test(name));
    expect(runs).toHaveLength(2);
    expect(facts?.previousLogs).not.toBeNull();
    expect(readdirSync(facts?.previousLogs ?? "")).toHaveLength(1);
  });
});

describe("beside the port", () => {
  it("shortens a grace that is under way", async () => {
    const agent = testAgent("scribe", ["sh", "-c", "trap '' TERM; while :; do sleep 1; done"], {
      drainMs: 100,
      graceMs: 60_000,
    });
    const observed = await startTestAgent(scope, agent);
    await scope.substrate.deleteInstance(agent.instance, observed.fence);
    expect(await scope.setStopGrace(agent.instance, 300)).toBe("set");
    await untilAbsent(scope.substrate, agent);
    expect(await scope.setStopGrace(agent.instance, 300)).toBe("notFound");
  });

  it("remembers revives", async () => {
    const now = Date.now();
    await scope.recordRevive("moorage-0", now - 1_000, now - 5_000);
    await scope.recordRevive("moorage-0", now, now - 500);
    await scope.recordRevive("moorage-1", now, now - 500);
    expect(await scope.revives("moorage-0")).toEqual([now - 1_000, now]);
  });

  it("counts one revive where several keeps revive the same end: the budget is the agent's", async () => {
    const now = Date.now();
    for (const late of [0, 1, 2]) await scope.recordRevive("moorage-0", now + late, now - 10_000);
    expect(await scope.revives("moorage-0")).toEqual([now]);
    await scope.recordRevive("moorage-0", now + 20_000, now + 10_000);
    expect(await scope.revives("moorage-0")).toHaveLength(2);
  });

  it("keeps a journal that others follow", async () => {
    const entry = {
      step: "decide",
      identity: "i",
      attempt: null,
      message: "m",
      code: "c",
      rule: 1,
      name: null,
    } as const;
    scope.journal.append({ ...entry, agent: "one" });
    scope.journal.append({ ...entry, agent: "two" });
    const other = await place.open({ mode: "read" });
    expect(other.journal.read().map(({ agent }) => agent)).toEqual(["one", "two"]);
    expect(other.journal.read({ agent: "two", last: 1 })).toMatchObject([{ agent: "two", pid: process.pid, rule: 1 }]);
    const stop = new AbortController();
    const heard: string[] = [];
    for await (const { agent } of other.journal.follow({ last: 1 }, stop.signal)) {
      heard.push(agent);
      if (heard.length === 1) scope.journal.append({ ...entry, agent: "three" });
      else break;
    }
    stop.abort();
    expect(heard).toEqual(["two", "three"]);
    other.journal.append({ ...entry, agent: "reader" });
    expect(other.journal.read()).toHaveLength(3);
  });

  it("reads a state directory that is not there as empty, and makes nothing", async () => {
    const stateDir = join(place.directory, "none");
    const none = await place.open({ stateDir, mode: "read" });
    expect(await none.inventory.readScope()).toMatchObject({ kind: "read", instances: [] });
    expect(await none.facts()).toEqual([]);
    expect(existsSync(stateDir)).toBe(false);
  });

  it("ends an agent whose state directory is deleted, so that no second copy can come", async () => {
    const agent = testAgent("scribe", ["sleep", "1000"]);
    await startTestAgent(scope, agent);
    const pid = await pidOf(agent.instance);
    rmSync(place.stateDir, { recursive: true });
    const again = await place.open();
    const successor = testAgent("scribe", ["sleep", "1000"]);
    await again.substrate.createSecret(successor.secret);
    await again.substrate.createInstance(successor.spec);
    await untilState(again.substrate, successor, "running");
    expect(lives(pid)).toBe(false);
    expect(existsSync(place.stateDir)).toBe(true);
  });

  it("ends an agent whose database is deleted alone", async () => {
    const agent = testAgent("scribe", ["sleep", "1000"]);
    await startTestAgent(scope, agent);
    const pid = await pidOf(agent.instance);
    for (const file of ["state.db", "state.db-wal", "state.db-shm"]) rmSync(join(place.stateDir, file));
    await until(
      () => "the agent has ended",
      () => !lives(pid),
    );
  });

  it("records an end when its agent is killed from outside", async () => {
    const agent = testAgent("scribe", ["sleep", "1000"]);
    await startTestAgent(scope, agent);
    endNow(await pidOf(agent.instance));
    const observed = await untilState(scope.substrate, agent, "terminated");
    expect(observed.evidence.container).toMatchObject({ ending: { reason: "signaled", signal: "SIGKILL" } });
  });
});
