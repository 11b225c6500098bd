import { spawnSync } from "node:child_process";
import { readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { Caller } from "./caller.fixture.ts";
import { callerScript, moduleName, startCaller } from "./caller.fixture.ts";
import { takeLock } from "./lock.ts";
import type { Place, TestAgent } from "./scope.fixture.ts";
import {
  endNow,
  lives,
  look,
  pidsOf,
  present,
  processesOf,
  remove,
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

const started = scopeForEach((made, opened) => {
  place = made;
  scope = opened;
});

function caller(body: string, supervisor?: readonly string[]): Caller {
  return startCaller(callerScript(place, body, supervisor === undefined ? {} : { supervisor }), started);
}

describe("a supervisor that was killed", () => {
  it("is told as lost, its agent is ended before the instance is removed, and another one may start", async () => {
    const agent = testAgent("scribe", ["sleep", "1000"]);
    await startTestAgent(scope, agent);
    const before = await pidsOf(scope, agent);
    endNow(before.supervisor);
    const observed = await untilState(scope.substrate, agent, "terminated");
    expect(observed.evidence.container).toMatchObject({ ending: { reason: "supervisorLost" } });
    expect((await scope.facts())[0]?.supervisor.state).toBe("lost");
    // Looking ends nothing.
    expect(lives(before.agent)).toBe(true);
    const removals: string[] = [];
    const stop = new AbortController();
    const reading = await scope.substrate.readInstances(agent.identity);
    const following = (async () => {
      const from = reading.kind === "read" ? reading.version : "0";
      for await (const hint of scope.substrate.follow(agent.identity, from, stop.signal))
        if (hint.kind === "removed") {
          const { container } = hint.last.evidence;
          removals.push(container.state === "terminated" ? container.ending.reason : container.state);
          return lives(before.agent);
        }
      return null;
    })();
    expect(await remove(scope, agent)).toBe("accepted");
    expect(await following).toBe(false);
    expect(removals).toEqual(["supervisorLost"]);
    await untilAbsent(scope.substrate, agent);
    const again = testAgent("scribe", ["sleep", "1000"]);
    await startTestAgent(scope, again);
  });

  it("is heard of by who follows, although no row changed", async () => {
    const agent = testAgent("scribe", ["sleep", "1000"]);
    await startTestAgent(scope, agent);
    const reading = await scope.substrate.readInstances(agent.identity);
    if (reading.kind !== "read") throw new Error(reading.kind);
    const { supervisor } = await pidsOf(scope, agent);
    const hints = scope.substrate.follow(agent.identity, reading.version, new AbortController().signal);
    const iterator = hints[Symbol.asyncIterator]();
    const first = iterator.next();
    await new Promise((resolve) => setTimeout(resolve, 20));
    endNow(supervisor);
    expect((await first).value).toMatchObject({ kind: "over" });
    await iterator.return?.();
  });

  it("leaves whole trees, and all of them are ended: sessions of their own, double forks, empty environments", async () => {
    const agent = testAgent("scribe", [
      "sh",
      "-c",
      "setsid sleep 991 & (setsid sh -c 'sleep 992 & sleep 993' &) ; env -i setsid sleep 994 & exec sleep 990",
    ]);
    await startTestAgent(scope, agent);
    const sleepers = (): number[] => [990, 991, 992, 993, 994].flatMap((seconds) => sleepersOf(agent, seconds));
    await until(
      () => `five live, not ${sleepers().length}`,
      () => sleepers().length === 5,
    );
    endNow((await pidsOf(scope, agent)).supervisor);
    await untilState(scope.substrate, agent, "terminated");
    expect(await remove(scope, agent)).toBe("accepted");
    await untilAbsent(scope.substrate, agent);
    expect(sleepers()).toEqual([]);
  });

  it("is replaced on the way of a deletion, even when it is killed while it drains", async () => {
    const agent = testAgent("scribe", ["sh", "-c", "trap '' TERM; while :; do sleep 0.05; done"], {
      drainMs: 100,
      graceMs: 1_500,
    });
    await startTestAgent(scope, agent);
    const before = await pidsOf(scope, agent);
    expect(await remove(scope, agent)).toBe("accepted");
    endNow(before.supervisor);
    expect((await look(scope.substrate, agent))?.deletion).not.toBeNull();
    await untilAbsent(scope.substrate, agent);
    expect(lives(before.agent)).toBe(false);
  });

  it("has its mark void when the deleter is killed as well, and the next deleter goes on", async () => {
    const agent = testAgent("scribe", ["sh", "-c", "trap '' TERM; while :; do sleep 0.05; done"], {
      drainMs: 100,
      graceMs: 3_000,
    });
    await startTestAgent(scope, agent);
    const before = await pidsOf(scope, agent);
    const observed = await present(scope, agent);
    endNow(before.supervisor);
    const deleter = caller(`
      const observed = await look(${JSON.stringify(agent.identity)});
      console.log((await scope.substrate.deleteInstance(${JSON.stringify(agent.instance)}, observed.fence)).kind);
      await scope.settled();`);
    expect(await deleter.said("accepted")).toBe(true);
    expect((await present(scope, agent)).deletion).not.toBeNull();
    endNow(deleter.pid);
    await until(
      () => "the mark is void",
      async () => (await look(scope.substrate, agent))?.deletion === null,
    );
    expect(lives(before.agent)).toBe(true);
    const stale = await scope.substrate.deleteInstance(agent.instance, observed.fence);
    expect(stale.kind).toBe("conflict");
    expect(await remove(scope, agent)).toBe("accepted");
    await untilAbsent(scope.substrate, agent);
    expect(lives(before.agent)).toBe(false);
  });

  it("may be stopped instead: it holds its lock, is told as stopped, and nobody takes its place", async () => {
    const agent = testAgent("scribe", ["sleep", "1000"]);
    await startTestAgent(scope, agent);
    const before = await pidsOf(scope, agent);
    process.kill(before.supervisor, "SIGSTOP");
    await until(
      () => "it is stopped",
      async () => (await scope.facts())[0]?.supervisor.state === "stopped",
    );
    expect((await present(scope, agent)).evidence.container.state).toBe("running");
    expect(await remove(scope, agent)).toBe("accepted");
    expect((await present(scope, agent)).deletion?.finalizers).toEqual([
      expect.stringContaining(`kill -CONT ${before.supervisor}`),
    ]);
    expect(lives(before.agent)).toBe(true);
    // Waiting for it is nothing that this process has to finish.
    await scope.settled();
    process.kill(before.supervisor, "SIGCONT");
    await untilAbsent(scope.substrate, agent);
  });
});

describe("a creator that was killed", () => {
  it("leaves nothing when its supervisor had not begun, and the instance is provably broken", async () => {
    const agent = testAgent("scribe", ["sleep", "1000"]);
    const creator = caller(
      `await scope.substrate.createInstance(${JSON.stringify(agent.spec)}); console.log("created"); setInterval(() => {}, 1e6);`,
      ["sh", "-c", "sleep 1000"],
    );
    expect(await creator.said("created")).toBe(true);
    const alive = await present(scope, agent);
    expect(alive.evidence.container).toMatchObject({ state: "waiting", cause: { code: "creating" } });
    endNow(creator.pid);
    await untilState(scope.substrate, agent, "abandoned");
    expect(await remove(scope, agent)).toBe("accepted");
    await untilAbsent(scope.substrate, agent);
  });

  it("does no harm when its supervisor goes on: that one takes the instance over", async () => {
    const agent = testAgent("scribe", ["sleep", "1000"]);
    await scope.substrate.createSecret(agent.secret);
    const creator = caller(
      `await scope.substrate.createInstance(${JSON.stringify(agent.spec)}); console.log("created"); setInterval(() => {}, 1e6);`,
    );
    expect(await creator.said("created")).toBe(true);
    endNow(creator.pid);
    await untilState(scope.substrate, agent, "running");
  });

  it("may have its instance removed before its supervisor begins, which then does nothing", async () => {
    const agent = testAgent("scribe", ["sleep", "1000"]);
    await scope.substrate.createSecret(agent.secret);
    const slow = await place.open({
      supervisor: [
        "sh",
        "-c",
        'sleep 0.4; exec "$0" "$@"',
        process.execPath,
        fileURLToPath(new URL("./supervisor.ts", import.meta.url)),
      ],
    });
    await slow.substrate.createInstance(agent.spec);
    expect(await remove(scope, agent)).toBe("accepted");
    await untilAbsent(scope.substrate, agent);
    await slow.settled();
    await until(
      () => "nothing is left",
      () => processesOf(place.directory).length === 0,
    );
    expect(await look(scope.substrate, agent)).toBeNull();
  });

  it("records it when its supervisor cannot even boot", async () => {
    const agent = testAgent("scribe", ["sleep", "1000"]);
    const broken = await place.open({ supervisor: ["sh", "-c", "echo no such luck >&2; exit 3"] });
    await broken.substrate.createInstance(agent.spec);
    const observed = await untilState(scope.substrate, agent, "terminated");
    expect(observed.evidence.container).toMatchObject({
      ending: { reason: "notStarted", detail: expect.stringContaining("no such luck") },
    });
  });
});

it("a lock is seen by others, freed by the kernel, and not by a look of its own process", async () => {
  const path = join(place.directory, "x.lock");
  const holder = caller(
    `const { takeLock } = await import(${moduleName("./lock.ts")});
     globalThis.lock = takeLock(${JSON.stringify(path)}, 0);
     const { probeLock } = await import(${moduleName("./lock.ts")});
     console.log(probeLock(${JSON.stringify(path)})); setInterval(() => {}, 1e6);`,
  );
  expect(await holder.said("held")).toBe(true);
  expect(takeLock(path, 20)).toBeNull();
  // A journal beside it would have to be rolled back after a kill, by who merely looks.
  expect(readdirSync(place.directory).filter((name) => name.startsWith("x.lock"))).toEqual(["x.lock"]);
  endNow(holder.pid);
  await until(
    () => "it is free",
    () => {
      const lock = takeLock(path, 20);
      lock?.release();
      return lock !== null;
    },
  );
});

function sleepersOf(agent: TestAgent, seconds: number): number[] {
  const table = spawnSync("pgrep", ["-x", "-f", `sleep ${seconds}`], { encoding: "utf8" });
  return table.stdout
    .split("\n")
    .filter((line) => line !== "" && lives(Number(line)))
    .map(Number)
    .filter((pid) => outputsOf(pid).includes(join(place.stateDir, "instances", agent.instance)));
}

function outputsOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/fd/1`);
  } catch {
    return "";
  }
}
