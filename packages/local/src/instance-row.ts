/** An instance as the database holds it, and every statement that reads or writes one. */
import type { Ending, Marks, ProcessTemplate } from "@moorage/core";
import type { MachineIdentity, ProcessMark } from "@moorage/harness";
import type { Database, Row } from "./database.ts";

/** The supervisor that has taken the instance over. */
export interface Claim {
  readonly machine: MachineIdentity;
  readonly pid: number;
  /** Raw, as `ProcessMark.start`; null where it could not be read. */
  readonly start: number | null;
  /** Where it can be poked: it depends on the supervisor's own temporary folder where paths are long. */
  readonly socket: string;
}

/**
 * How far its supervisor got. `mark` is null as long as no process was spawned. `startedAt` of what does not run (yet): it ran
 * before in this very instance, since then, and is brought back.
 */
export type Status =
  | {
      readonly phase: "waiting";
      readonly code: string;
      readonly message: string;
      readonly secretMissing: boolean;
      readonly startedAt?: string;
    }
  | { readonly phase: "spawned"; readonly mark: ProcessMark; readonly startedAt?: string }
  | { readonly phase: "running"; readonly mark: ProcessMark; readonly startedAt: string }
  | {
      readonly phase: "ended";
      readonly mark: ProcessMark | null;
      readonly startedAt: string | null;
      readonly ending: Ending;
    };

export interface InstanceRow extends Marks {
  readonly name: string;
  readonly uid: string;
  readonly version: number;
  readonly selector: string;
  readonly secret: string;
  /** Of this incarnation, relative to the state directory: that may be moved. */
  readonly folder: string;
  readonly template: ProcessTemplate;
  readonly launchEnv: Readonly<Record<string, string>>;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly creator: MachineIdentity;
  readonly claim: Claim | null;
  readonly status: Status;
  /** ISO 8601; not null: marked for deletion. */
  readonly deletionAt: string | null;
  readonly stopGraceMs: number | null;
}

/** The process that was put on record, whatever became of it. */
export function markOf(status: Status): ProcessMark | null {
  return status.phase === "waiting" ? null : status.mark;
}

export function startedAtOf(status: Status): string | null {
  return status.startedAt ?? null;
}

export function readRows(database: Database): InstanceRow[] {
  return database.all("SELECT * FROM instances ORDER BY name").map(parse);
}

export function readRowsOf(database: Database, selector: string): InstanceRow[] {
  return database.all("SELECT * FROM instances WHERE selector = ? ORDER BY name", selector).map(parse);
}

export function readRow(database: Database, name: string): InstanceRow | null {
  const row = database.get("SELECT * FROM instances WHERE name = ?", name);
  return row === undefined ? null : parse(row);
}

/** The instance of another identity that has the declared name and has not ended, or null. `key` is the annotation of the name. */
export function readNamesake(database: Database, name: string, key: string, declared: string): string | null {
  const row = database.get(
    `SELECT name FROM instances WHERE name <> ? AND json_extract(annotations, '$."' || ? || '"') = ?
      AND json_extract(status, '$.phase') <> 'ended'`,
    name,
    key,
    declared,
  );
  return row === undefined ? null : String(row["name"]);
}

/** Where the instance with this UID has its folder, in the state directory; null: there is none. */
export function readFolder(database: Database, name: string, uid: string): string | null {
  const row = database.get("SELECT folder FROM instances WHERE name = ? AND uid = ?", name, uid);
  return row === undefined ? null : String(row["folder"]);
}

/** Whose the row is and how far its deletion is: what a supervisor looks at every other second, for as long as it lives. */
export function readDeletion(
  database: Database,
  name: string,
): { readonly uid: string; readonly at: string | null; readonly graceMs: number | null } | null {
  const row = database.get("SELECT uid, deletion_at, stop_grace FROM instances WHERE name = ?", name);
  if (row === undefined) return null;
  const { uid, deletion_at: at, stop_grace: graceMs } = row;
  return { uid: String(uid), at: at === null ? null : String(at), graceMs: graceMs === null ? null : Number(graceMs) };
}

/** Inside a write. The version is the change's own. */
export function insertRow(database: Database, row: Omit<InstanceRow, "version">): number {
  const version = database.nextVersion();
  database.change(
    `INSERT INTO instances (name, uid, version, selector, labels, annotations, secret, folder, template, launch_env,
      created_at, creator, claim, status, deletion_at, stop_grace) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.name,
    row.uid,
    version,
    row.selector,
    JSON.stringify(row.labels),
    JSON.stringify(row.annotations),
    row.secret,
    row.folder,
    JSON.stringify(row.template),
    JSON.stringify(row.launchEnv),
    row.createdAt,
    JSON.stringify(row.creator),
    row.claim === null ? null : JSON.stringify(row.claim),
    JSON.stringify(row.status),
    row.deletionAt,
    row.stopGraceMs,
  );
  return version;
}

/** What may change in the life of an instance. */
export interface RowChange {
  readonly claim?: Claim;
  readonly status?: Status;
  readonly deletionAt?: string;
  readonly stopGraceMs?: number;
}

/** Inside a write. False: there is no instance with this name and UID, and nothing was changed. */
export function updateRow(database: Database, name: string, uid: string, change: RowChange): boolean {
  const changed = database.change(
    `UPDATE instances SET claim = coalesce(?, claim), status = coalesce(?, status),
      deletion_at = coalesce(?, deletion_at), stop_grace = coalesce(?, stop_grace) WHERE name = ? AND uid = ?`,
    change.claim === undefined ? null : JSON.stringify(change.claim),
    change.status === undefined ? null : JSON.stringify(change.status),
    change.deletionAt ?? null,
    change.stopGraceMs ?? null,
    name,
    uid,
  );
  if (changed === 0) return false;
  database.change("UPDATE instances SET version = ? WHERE name = ?", database.nextVersion(), name);
  return true;
}

const removalsKept = 2_000;

/** Inside a write. The removal stays readable for those who follow. False: it was not there any more. */
export function removeRow(database: Database, last: InstanceRow): boolean {
  if (database.change("DELETE FROM instances WHERE name = ? AND uid = ?", last.name, last.uid) === 0) return false;
  const version = database.nextVersion();
  const { template: _template, launchEnv: _launchEnv, ...kept } = last;
  database.change(
    "INSERT INTO removals VALUES (?, ?, ?)",
    version,
    last.selector,
    JSON.stringify({ ...kept, version }),
  );
  const oldest = database.get("SELECT version FROM removals ORDER BY version DESC LIMIT 1 OFFSET ?", removalsKept);
  if (oldest !== undefined) {
    database.change("DELETE FROM removals WHERE version <= ?", oldest["version"] as number);
    database.change("UPDATE scope SET trimmed = ?", oldest["version"] as number);
  }
  return true;
}

/** An instance that was removed, as it was then. */
export type RemovedRow = Omit<InstanceRow, "template" | "launchEnv">;

/** Removals of one selector after a version, or `expired` when they are forgotten, or the version is another database's. */
export function readRemovals(database: Database, selector: string, version: number): readonly RemovedRow[] | "expired" {
  const scope = database.get("SELECT trimmed, counter FROM scope");
  if (version < Number(scope?.["trimmed"]) || version > Number(scope?.["counter"])) return "expired";
  return database
    .all("SELECT last FROM removals WHERE selector = ? AND version > ? ORDER BY version", selector, version)
    .map((row) => JSON.parse(row["last"] as string) as RemovedRow);
}

export function readCounter(database: Database): number {
  return Number(database.get("SELECT counter FROM scope")?.["counter"]);
}

function parse(row: Row): InstanceRow {
  const claim = row["claim"] as string | null;
  return {
    name: row["name"] as string,
    uid: row["uid"] as string,
    version: row["version"] as number,
    selector: row["selector"] as string,
    labels: JSON.parse(row["labels"] as string) as Record<string, string>,
    annotations: JSON.parse(row["annotations"] as string) as Record<string, string>,
    secret: row["secret"] as string,
    folder: row["folder"] as string,
    template: JSON.parse(row["template"] as string) as ProcessTemplate,
    launchEnv: JSON.parse(row["launch_env"] as string) as Record<string, string>,
    createdAt: row["created_at"] as string,
    creator: JSON.parse(row["creator"] as string) as MachineIdentity,
    claim: claim === null ? null : (JSON.parse(claim) as Claim),
    status: JSON.parse(row["status"] as string) as Status,
    deletionAt: row["deletion_at"] as string | null,
    stopGraceMs: row["stop_grace"] as number | null,
  };
}
