/** Every row of the table about the state directory: what the command answers, and that what ran goes on as it was. */
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { canMount, readOnlyView, smallDisk } from "./disk.ts";
import type { StateFault } from "./fault-table.ts";
import { stateFaults } from "./fault-table.ts";
import { loneAgent } from "./lone-agent.ts";
import type { Answer, CallOptions, Told } from "./place.ts";
import { Place } from "./place.ts";
import { alive, supervisorsBelow, untilDead } from "./processes.ts";
import { until } from "./until.ts";
import { isRoot, needsRoot, nobodyId, unprivileged } from "./user.ts";

/** How the fault is made, and how the world is mended again; what a command then says. */
interface Case {
  /** How to call the command that meets the fault. */
  readonly args?: readonly string[];
  readonly options?: CallOptions;
  mend?(): void;
}

const needs: Partial<Record<StateFault["condition"], boolean>> = {
  readOnly: canMount,
  fullDisk: canMount,
  otherUser: isRoot,
};

describe.concurrent("a state directory", () => {
  for (const row of stateFaults.filter(({ remains }) => remains === "nothing"))
    it(`${row.input}: exit ${row.exit}, ${row.code}`, async () => {
      await using place = new Place();
      const options = withoutState(place, row);
      const told = await place.ask(["deploy", "a", "--", "sleep", "600"], options);
      expect({ exit: told.exit, code: codeOf(told) }).toEqual({ exit: row.exit, code: row.code });
      if (row.says !== undefined) expect(told.hint).toContain(row.says);
      // Whoever only looks has the same answer, and doctor says it as well.
      if (row.code === "stateNotADirectory")
        for (const args of [
          ["status"],
          ["journal"],
          ["stop", "a"],
          ["deploy", "a", "--dry-run", "--", "sleep", "600"],
        ]) {
          const looked = await place.ask(args, options);
          expect({ args, exit: looked.exit, code: codeOf(looked) }).toEqual({ args, exit: row.exit, code: row.code });
        }
      if (row.code === "stateNotADirectory") {
        const doctor = await place.run(["doctor"], options);
        expect(doctor).toMatchObject({ exit: 4, stdout: expect.stringContaining("no place for the state") as string });
        expect(doctor.stdout).not.toMatch(/chmod|not there yet/);
      }
      await place.atRest();
    });

  for (const row of stateFaults.filter(({ remains }) => remains === "goesOn"))
    it.skipIf(needs[row.condition] === false)(
      `${row.input}: exit ${row.exit}, ${row.code}; ${needs[row.condition] === false ? needsRoot : "what ran goes on"}`,
      async () => {
        await using place = new Place();
        const disk = row.condition === "fullDisk" ? smallDisk(place, 2 << 20) : null;
        const at: CallOptions = disk === null ? {} : { state: false };
        const state = disk === null ? place.state : join(disk.path, "state");
        const stated = disk === null ? [] : [`--state=${state}`];
        const owner = row.condition === "otherUser" ? { ...at, uid: nobodyId } : at;
        if (row.condition === "otherUser") place.giveTo(nobodyId);
        const lone = loneAgent(place);
        const running = await place.mustRun(["deploy", "a", ...stated, "--", ...lone.command], owner);
        const { args, options, mend } = await makeFault(place, state, row, disk?.fill);
        const told = await place.ask([...(args ?? ["deploy", "b"]), ...stated, "--", "sleep", "600"], {
          ...at,
          ...options,
        });
        expect({ exit: told.exit, code: codeOf(told) }).toEqual({ exit: row.exit, code: row.code });
        if (row.says !== undefined) expect(JSON.stringify(told)).toContain(row.says);
        expect(alive(running.pid ?? (await pidOf(lone)))).toBe(true);
        mend?.();
        disk?.empty();
        if (row.condition === "otherMachine") return;
        const after = await place.askOne(["deploy", "a", ...stated, "--", ...lone.command], owner);
        expect({ exit: after.exit, outcome: after.outcome }).toEqual({ exit: 0, outcome: "alreadyRunning" });
        expect(lone.runs()).toHaveLength(1);
      },
    );

  for (const row of stateFaults.filter(({ remains }) => remains === "endedAndStartedOnce"))
    it(`${row.input}: exit ${row.exit}, ${row.code}; the old one ends first`, async () => {
      await using place = new Place();
      const lone = loneAgent(place);
      await place.deploy("a", ...lone.command);
      rmSync(place.state, { recursive: true });
      const told = await place.askOne(["deploy", "a", "--", ...lone.command]);
      expect({ exit: told.exit, outcome: told.outcome }).toEqual({ exit: row.exit, outcome: row.code });
      await until("the second run writes", () => lone.runs().length === 2);
      expect(supervisorsBelow(place.dir)).toHaveLength(1);
    });
});

/** Faults that stand in the way before anything was ever started. */
function withoutState(place: Place, { condition }: StateFault): CallOptions {
  switch (condition) {
    case "notWritable":
      if (isRoot) place.giveTo(nobodyId);
      chmodSync(place.dir, 0o555);
      return unprivileged;
    case "folderNotSearchable":
      mkdirSync(place.state, { mode: 0o000 });
      if (isRoot) place.giveTo(nobodyId, "state");
      return unprivileged;
    case "file":
      place.write("state", "");
      return {};
    case "belowFile":
      return { state: false, env: { XDG_STATE_HOME: place.write("a-file", "") } };
    case "circle":
    case "dangling":
      symlinkSync(condition === "circle" ? "state" : "gone/away", place.state);
      return {};
    case "homeUnset":
      return { state: false, env: { HOME: undefined } };
    default:
      throw new Error(`${condition} needs an agent that runs`);
  }
}

async function makeFault(place: Place, state: string, row: StateFault, fill?: () => void): Promise<Case> {
  const path = join(state, "state.db");
  switch (row.condition) {
    case "readOnly":
      return { args: ["deploy", "b", `--state=${readOnlyView(place, state)}`], options: { state: false } };
    case "fullDisk":
      fill?.();
      return {};
    case "corrupt":
      return damage(path, (whole) => writeFileSync(path, Buffer.alloc(whole.length, "no database ")));
    case "cutShort":
      return damage(path, () => truncateSync(path, 5_000));
    case "emptied":
      return damage(path, () => truncateSync(path, 0));
    case "newer":
      change(path, "UPDATE scope SET schema = 99");
      return { mend: () => change(path, "UPDATE scope SET schema = 1") };
    case "locked": {
      const holder = new DatabaseSync(path);
      holder.exec("BEGIN IMMEDIATE");
      return { args: ["deploy", "b", "--deadline=3s"], mend: () => holder.close() };
    }
    case "otherUser":
      return {};
    case "otherMachine": {
      const [supervisor] = supervisorsBelow(place.dir);
      process.kill(supervisor!.pid, "SIGKILL");
      await untilDead(supervisor!.pid);
      change(path, "UPDATE instances SET claim = json_set(claim, '$.machine.machineId', 'another machine')");
      return { args: ["deploy", "a"] };
    }
    default:
      throw new Error(`${row.condition} needs nothing that runs`);
  }
}

/** In place, as a failing disk does it: whoever has the file open meets it too. */
function damage(path: string, harm: (whole: Buffer) => void): Case {
  change(path, "PRAGMA wal_checkpoint(TRUNCATE)");
  const whole = readFileSync(path);
  harm(whole);
  return { mend: () => writeFileSync(path, whole) };
}

function change(path: string, sql: string): void {
  const database = new DatabaseSync(path, { timeout: 5_000 });
  database.exec(sql);
  database.close();
}

async function pidOf(lone: { runs(): number[] }): Promise<number> {
  const [pid] = await until("it has begun", () => (lone.runs().length > 0 ? lone.runs() : null));
  return pid!;
}

/** The code of the error, or of the one agent that is told about. */
function codeOf(told: Answer): string {
  const [only]: readonly Told[] = told.agents ?? [];
  return told.code ?? only?.condition?.code ?? only?.outcome ?? "";
}
