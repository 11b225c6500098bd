import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { machineIdentity } from "@moorage/harness";
import { expect, it } from "vitest";
import { createDatabase, Database } from "./database.ts";
import type { Status } from "./instance-row.ts";
import { insertRow, readRow } from "./instance-row.ts";
import { instanceRecord } from "./record.ts";
import { testAgent } from "./scope.fixture.ts";

it("what is brought back ran before, at every step until it runs again", () => {
  const stateDir = mkdtempSync(join(tmpdir(), "mr-"));
  createDatabase(stateDir, "token");
  const database = new Database(stateDir, { readOnly: false, busyMs: 5_000 });
  const { spec } = testAgent("scribe", ["sleep", "1000"]);
  const [name, uid, machine] = [spec.name, "u1", machineIdentity()];
  const first: Status = { phase: "waiting", code: "booting", message: "it boots", secretMissing: false };
  const lock = { path: "lock", isInPlace: () => true, release: () => undefined };
  const process = { machine, pid: 10, start: 100, group: 10, session: 10, instance: name, attempt: "a", outputs: [] };
  const mark = { ...process, recordedAt: "2026-01-01T00:00:00.000Z" };
  const record = instanceRecord(database, { name, uid }, lock);
  const status = (): unknown => readRow(database, name)?.status;
  const at = "2026-01-01T00:00:01.000Z";
  try {
    database.write(() =>
      insertRow(database, {
        ...spec,
        uid,
        selector: "s",
        folder: "instances/scribe/1-000000",
        launchEnv: {},
        createdAt: at,
        creator: machine,
        claim: null,
        status: first,
        deletionAt: null,
        stopGraceMs: null,
      }),
    );
    record.spawned(mark);
    expect(status()).toEqual({ phase: "spawned", mark });
    record.running(at);
    record.again("it crashed");
    expect(status()).toMatchObject({ phase: "waiting", code: "returning", message: "it crashed", startedAt: at });
    record.spawned({ ...mark, pid: 11 });
    expect(status()).toEqual({ phase: "spawned", mark: { ...mark, pid: 11 }, startedAt: at });
  } finally {
    database.close();
    rmSync(stateDir, { recursive: true });
  }
});
