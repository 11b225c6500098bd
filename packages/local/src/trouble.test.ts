import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Place } from "./scope.fixture.ts";
import {
  lives,
  look,
  makePlace,
  patience,
  pidsOf,
  remove,
  startTestAgent,
  testAgent,
  until,
  untilAbsent,
  untilState,
} from "./scope.fixture.ts";
import type { Scope } from "./scope.ts";

vi.setConfig(patience);

let place: Place;

beforeEach(() => {
  place = makePlace();
});

afterEach(() => place.clear());

/** Somebody who writes for as long as the body lasts. */
async function whileLocked(scope: Scope, body: () => Promise<void>): Promise<void> {
  const other = new DatabaseSync(join(scope.stateDir, "state.db"));
  other.exec("BEGIN IMMEDIATE");
  try {
    await body();
  } finally {
    other.exec("ROLLBACK");
    other.close();
  }
}

it("says later, within a few seconds, while somebody else writes; reading goes on, and so does the supervisor", async () => {
  const scope = await place.open();
  const agent = testAgent("scribe", ["sh", "-c", "read line < /dev/null; sleep 0.3"]);
  await scope.substrate.createSecret(agent.secret);
  await scope.substrate.createInstance(agent.spec);
  await untilState(scope.substrate, agent, "running");
  await whileLocked(scope, async () => {
    const before = performance.now();
    const answer = await scope.substrate.createSecret(testAgent("other", ["true"]).secret);
    expect(answer).toMatchObject({ kind: "unavailable", detail: expect.stringContaining("locked") });
    expect(performance.now() - before).toBeLessThan(6_000);
    expect((await look(scope.substrate, agent))?.evidence.container.state).toBe("running");
    await expect(scope.setStopGrace(agent.instance, 1)).rejects.toMatchObject({ code: "stateLocked" });
  });
  await untilState(scope.substrate, agent, "terminated");
});

it("opens beside somebody who writes", async () => {
  const scope = await place.open();
  await whileLocked(scope, async () => {
    const other = await place.open();
    expect((await other.inventory.readScope()).kind).toBe("read");
  });
});

describe.runIf(process.getuid?.() === 0 && process.platform === "linux")("on a small disk, as root", () => {
  let disk: string;
  beforeEach(() => {
    disk = join(place.directory, "disk");
    mkdirSync(disk);
    expect(spawnSync("mount", ["-t", "tmpfs", "-o", "size=1m,mode=700", "tmpfs", disk]).status).toBe(0);
  });
  afterEach(async () => {
    await place.end();
    spawnSync("umount", ["-l", disk]);
  });

  function fill(): void {
    spawnSync("dd", ["if=/dev/zero", `of=${join(disk, "filler")}`, "bs=4k"]);
    spawnSync("sh", ["-c", `while printf x >> ${join(disk, "filler")}; do :; done`]);
  }

  it("a full one forgets nothing: agents run on, ends are recorded when there is space", async () => {
    const scope = await place.open({ stateDir: join(disk, "state") });
    const flag = join(place.directory, "end");
    const agent = testAgent("scribe", ["sh", "-c", `while [ ! -e ${flag} ]; do sleep 0.02; done; exit 5`]);
    await startTestAgent(scope, agent);
    const before = await pidsOf(scope, agent);
    fill();
    const other = testAgent("other", ["sleep", "1000"]);
    await expect(scope.substrate.createSecret(other.secret)).rejects.toMatchObject({ code: "stateDiskFull" });
    await expect(scope.substrate.createInstance(other.spec)).rejects.toMatchObject({ code: "stateDiskFull" });
    expect((await look(scope.substrate, agent))?.evidence.container.state).toBe("running");
    expect(await look(scope.substrate, other)).toBeNull();
    // What a refused write had already allocated takes smaller ones, until that is full as well.
    await until(
      () => "not even its row can be changed",
      async () => {
        try {
          await scope.setStopGrace(agent.instance, 1_000);
          return false;
        } catch (error) {
          expect(error).toMatchObject({ code: "stateDiskFull" });
          return true;
        }
      },
    );
    writeFileSync(flag, "");
    await until(
      () => "the agent has ended",
      () => !lives(before.agent),
    );
    const tried = performance.now();
    await until(
      () => "it has tried more than once",
      async () => {
        expect((await look(scope.substrate, agent))?.evidence.container.state).toBe("running");
        return performance.now() - tried > 700;
      },
    );
    expect(lives(before.supervisor)).toBe(true);
    rmSync(join(disk, "filler"));
    const observed = await untilState(scope.substrate, agent, "terminated");
    expect(observed.evidence.container).toMatchObject({ ending: { reason: "exited", exitCode: 5 } });
    await until(
      () => "its supervisor has left",
      () => !lives(before.supervisor),
    );
    expect(await remove(scope, agent)).toBe("accepted");
    await untilAbsent(scope.substrate, agent);
    await startTestAgent(scope, other);
  });

  /** Leaves room for so many files more. */
  function roomFor(more: number): void {
    const { files, ffree } = statfsSync(disk);
    const options = `remount,nr_inodes=${files - ffree + more}`;
    expect(spawnSync("mount", ["-o", options, disk]).status).toBe(0);
  }

  it("without room for a file, nothing is called a mistake of ours", async () => {
    const scope = await place.open({ stateDir: join(disk, "state") });
    const agent = testAgent("scribe", ["sleep", "1000"]);
    await scope.substrate.createSecret(agent.secret);
    roomFor(1);
    await expect(scope.substrate.createInstance(agent.spec)).rejects.toMatchObject({ code: "stateDiskFull" });
    expect(await look(scope.substrate, agent)).toBeNull();
  });

  it("without room for its supervisor's log, nobody is said to have died: its start has failed, with the reason", async () => {
    const scope = await place.open({ stateDir: join(disk, "state") });
    const agent = testAgent("scribe", ["sleep", "1000"]);
    await scope.substrate.createSecret(agent.secret);
    // The folder of all instances, its own three, its creator's lock and the agent's own folder.
    roomFor(6);
    expect((await scope.substrate.createInstance(agent.spec)).kind).toBe("created");
    await scope.settled();
    expect((await look(scope.substrate, agent))?.evidence.container).toMatchObject({
      state: "terminated",
      ending: { reason: "notStarted", detail: expect.stringContaining("ENOSPC") },
    });
  });

  it("one that became read-only is told as that, and can still be looked at", async () => {
    const stateDir = join(disk, "state");
    const scope = await place.open({ stateDir });
    const agent = testAgent("scribe", ["sleep", "1000"]);
    await scope.substrate.createSecret(agent.secret);
    scope.close();
    expect(spawnSync("mount", ["-o", "remount,ro", disk]).status).toBe(0);
    await expect(place.open({ stateDir })).rejects.toMatchObject({ code: "stateReadOnly" });
    await expect(place.open({ stateDir, mode: "read" })).resolves.toMatchObject({ mode: "read" });
  });
});
