import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { ProcessMark } from "@moorage/harness";
import { machineIdentity } from "@moorage/harness";
import { describe, expect, it } from "vitest";
import type { Status } from "./instance-row.ts";
import type { Place, TestAgent } from "./scope.fixture.ts";
import {
  endNow,
  forgeStatus,
  lives,
  pidsOf,
  present,
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

/** A process that has nothing to do with any agent. */
function bystander(): ChildProcess & { pid: number } {
  const child = spawn("sleep", ["1000"], { stdio: "ignore", detached: true });
  started.push(child);
  return child as ChildProcess & { pid: number };
}

/** Changes rows behind everybody's back. */
function forge(sql: string, ...values: (string | number)[]): void {
  const database = new DatabaseSync(join(place.stateDir, "state.db"));
  database.prepare(sql).run(...values);
  database.close();
}

function forgeMark(change: (mark: ProcessMark) => ProcessMark): void {
  forgeStatus<Status & { readonly phase: "running" }>(place, (status) => ({ ...status, mark: change(status.mark) }));
}

const loop = ["sh", "-c", "while :; do sleep 0.05; done"] as const;

describe("a forged or old record", () => {
  it("with a foreign, living PID: the agent may start, and the foreign process lives", async () => {
    const agent = testAgent("scribe", ["sleep", "1000"]);
    await startTestAgent(scope, agent);
    const before = await pidsOf(scope, agent);
    endNow(before.supervisor);
    endNow(before.agent);
    const foreign = bystander();
    forgeMark((mark) => ({ ...mark, pid: foreign.pid, group: foreign.pid, session: foreign.pid }));
    await untilState(scope.substrate, agent, "terminated");
    expect(await remove(scope, agent)).toBe("accepted");
    await untilAbsent(scope.substrate, agent);
    expect(lives(foreign.pid)).toBe(true);
    await startTestAgent(scope, testAgent("scribe", ["sleep", "1000"]));
    expect(lives(foreign.pid)).toBe(true);
  });

  it("with the caller's own PID and another start is no living supervisor", async () => {
    const agent = testAgent("scribe", ["sleep", "1000"]);
    await startTestAgent(scope, agent);
    const before = await pidsOf(scope, agent);
    endNow(before.supervisor);
    endNow(before.agent);
    forge("UPDATE instances SET claim = json_set(claim, '$.pid', ?, '$.start', 1)", process.pid);
    await untilState(scope.substrate, agent, "terminated");
    expect(await remove(scope, agent)).toBe("accepted");
    await untilAbsent(scope.substrate, agent);
  });

  it("of another machine is nothing to conclude from: nothing is ended, nothing is removed", async () => {
    const agent = testAgent("scribe", ["sleep", "1000"]);
    await startTestAgent(scope, agent);
    const before = await pidsOf(scope, agent);
    endNow(before.supervisor);
    forge(
      "UPDATE instances SET claim = json_set(claim, '$.machine.machineId', 'another', '$.machine.bootId', 'another')",
    );
    await untilState(scope.substrate, agent, "unjudgeable");
    expect((await scope.facts())[0]?.supervisor.state).toBe("cannotTell");
    expect(await remove(scope, agent)).toBe("cannotTell");
    expect(lives(before.agent)).toBe(true);
    expect((await present(scope, agent)).deletion).toBeNull();
  });

  it("of an earlier boot has ended with it, and no process is looked at", async () => {
    const agent = testAgent("scribe", ["sleep", "1000"]);
    await startTestAgent(scope, agent);
    const before = await pidsOf(scope, agent);
    endNow(before.supervisor);
    // A machine that does not tell its id could be any other one.
    if (machineIdentity().machineId === null) return;
    forge("UPDATE instances SET claim = json_set(claim, '$.machine.bootId', 'earlier')");
    const observed = await untilState(scope.substrate, agent, "terminated");
    expect(observed.evidence.container).toMatchObject({ ending: { reason: "rebooted" } });
    expect(await remove(scope, agent)).toBe("accepted");
    await untilAbsent(scope.substrate, agent);
    expect(lives(before.agent)).toBe(true);
  });
});

describe("a lock file that was taken away", () => {
  it("makes its supervisor end its agent", async () => {
    const agent = testAgent("scribe", [...loop]);
    await startTestAgent(scope, agent);
    const before = await pidsOf(scope, agent);
    rmSync(join(place.stateDir, "instances", agent.instance), { recursive: true });
    await until(
      () => "the agent has ended",
      () => !lives(before.agent),
    );
    await until(
      () => "the supervisor has ended",
      () => !lives(before.supervisor),
    );
    const observed = await untilState(scope.substrate, agent, "terminated");
    expect(observed.evidence.container).toMatchObject({ ending: { reason: "supervisorLost" } });
    expect(await remove(scope, agent)).toBe("accepted");
    await untilAbsent(scope.substrate, agent);
  });
});

it("an older copy of the database, put back while the agent of a lost supervisor lives, gets no second copy", async () => {
  const agent = (): TestAgent => testAgent("scribe", ["sleep", "1000"]);
  const first = agent();
  await startTestAgent(scope, first);
  const kept = join(place.directory, "kept");
  cpSync(join(place.stateDir, "state.db"), kept);
  const wal = join(place.stateDir, "state.db-wal");
  cpSync(wal, `${kept}-wal`);
  expect(await remove(scope, first)).toBe("accepted");
  await untilAbsent(scope.substrate, first);
  const second = agent();
  await startTestAgent(scope, second);
  const before = await pidsOf(scope, second);
  endNow(before.supervisor);
  await untilState(scope.substrate, second, "terminated");
  scope.close();
  cpSync(kept, join(place.stateDir, "state.db"));
  cpSync(`${kept}-wal`, wal);
  rmSync(join(place.stateDir, "state.db-shm"), { force: true });
  const later = await place.open();
  await untilState(later.substrate, first, "terminated");
  expect(await remove(later, first)).toBe("accepted");
  await untilAbsent(later.substrate, first);
  const third = agent();
  await later.substrate.createSecret(third.secret);
  expect((await later.substrate.createInstance(third.spec)).kind).toBe("created");
  const { evidence } = await untilState(later.substrate, third, "terminated");
  expect(evidence.container).toMatchObject({
    ending: { reason: "notStarted", detail: expect.stringContaining("a process of an earlier run") },
  });
  expect(lives(before.agent)).toBe(true);
});
