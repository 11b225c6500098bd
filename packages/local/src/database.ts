/** The database of a state directory: made in one piece, opened, and written in short transactions that wait a bounded time. */
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
} from "node:fs";
import { join } from "node:path";
import type { SQLInputValue, StatementSync } from "node:sqlite";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { lockHolder } from "./lock-holder.ts";
import { schema, schemaVersion } from "./schema.ts";
import { isBusy, stateFault } from "./sqlite-fault.ts";
import { StateError } from "./state-error.ts";

/** Somebody else wrote for longer than we wait. */
export class Busy extends Error {
  override readonly name = "Busy";
}

export type Row = Record<string, null | number | bigint | string | Uint8Array>;

export function databasePath(stateDir: string): string {
  return join(stateDir, "state.db");
}

/** Makes the database where there is none: whole, then linked into its place, so that of many at once one wins. */
export function createDatabase(stateDir: string, token: string): void {
  const path = databasePath(stateDir);
  if (existsSync(path)) return;
  const draft = join(stateDir, `state.${token}.new`);
  try {
    if (readdirSync(stateDir).length === 0) chmodSync(stateDir, 0o700);
    closeSync(openSync(draft, "wx", 0o600));
    fill(draft);
    const descriptor = openSync(draft, "r");
    fsyncSync(descriptor);
    closeSync(descriptor);
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw stateFault(error, stateDir);
  } finally {
    for (const file of [draft, `${draft}-wal`, `${draft}-shm`]) rmSync(file, { force: true });
  }
}

function fill(draft: string): void {
  const database = new DatabaseSync(draft);
  try {
    database.exec(`PRAGMA journal_mode=WAL; BEGIN; ${schema} COMMIT; PRAGMA wal_checkpoint(TRUNCATE);`);
  } finally {
    database.close();
  }
}

/** An open database. Every call is synchronous and short; every fault is a `StateError`, except `Busy` from a write. */
export class Database {
  readonly stateDir: string;
  readonly #sqlite: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  readonly #inode: number;
  readonly #busyMs: number;
  #open = true;

  /** `busyMs`: how long one write blocks on others before it throws `Busy`. */
  constructor(stateDir: string, options: { readonly readOnly: boolean; readonly busyMs: number }) {
    this.stateDir = stateDir;
    this.#busyMs = options.busyMs;
    const path = databasePath(stateDir);
    let sqlite: DatabaseSync | undefined;
    try {
      this.#inode = notEmpty(path, stateDir);
      sqlite = new DatabaseSync(location(path, options.readOnly), {
        readOnly: options.readOnly,
        timeout: options.busyMs,
      });
      if (!options.readOnly) sqlite.exec("PRAGMA synchronous=FULL; PRAGMA secure_delete=ON");
      this.#sqlite = sqlite;
      this.#checkForm();
    } catch (error) {
      sqlite?.close();
      throw this.fault(error);
    }
  }

  all(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#run(() => this.#prepare(sql).all(...values) as Row[]);
  }

  get(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#run(() => this.#prepare(sql).get(...values));
  }

  /** Inside `write` alone. Returns how many rows it changed. */
  change(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.#prepare(sql).run(...values).changes);
  }

  /** Several reads of one moment. */
  read<T>(body: () => T): T {
    return this.#run(() => this.#transaction("BEGIN", body));
  }

  /**
   * All or nothing. Throws `Busy`, or the `StateError` of what went wrong; then nothing was written. `soon`: lasts through a
   * power failure no later than the next durable write, and costs a tenth of one. `untold`: nobody who watches instances is woken.
   */
  write<T>(body: () => T, lasting: "durably" | "soon" = "durably", told: "announced" | "untold" = "announced"): T {
    if (!this.isInPlace())
      throw new StateError(
        "stateLost",
        `the state directory ${this.stateDir} was deleted or replaced while it was in use`,
        "run the command again; supervisors that find it gone end their agents",
      );
    if (lasting === "soon") this.#sqlite.exec("PRAGMA synchronous=NORMAL");
    try {
      return this.#run(() => this.#transaction("BEGIN IMMEDIATE", body));
    } finally {
      if (lasting === "soon") this.#sqlite.exec("PRAGMA synchronous=FULL");
      if (told === "announced") this.#announce();
    }
  }

  /**
   * Touches the database for those who watch it. The write of a transaction is seen before the transaction is: who
   * looks at that moment finds nothing new, and would sleep through the commit.
   */
  #announce(): void {
    const now = new Date();
    try {
      utimesSync(databasePath(this.stateDir), now, now);
    } catch {
      // Nobody is woken then; they look by themselves.
    }
  }

  /**
   * What was deleted is gone from the write-ahead log too, where it would stay until others have filled that again.
   * Best effort: somebody who reads at this moment keeps it until the next time.
   */
  forget(): void {
    try {
      this.#sqlite.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    } catch {
      // Busy, or a full disk: nothing that is wanted is lost.
    }
  }

  /** The next resource version, inside `write` alone. */
  nextVersion(): number {
    return Number(this.#prepare("UPDATE scope SET counter = counter + 1 RETURNING counter").get()?.["counter"]);
  }

  /** Whether the file in the state directory still is the one that is open. */
  isInPlace(): boolean {
    return statSync(databasePath(this.stateDir), { throwIfNoEntry: false })?.ino === this.#inode;
  }

  get busyMs(): number {
    return this.#busyMs;
  }

  /** A `StateError` for whatever was thrown; somebody else's lock is named with its holder. */
  fault(error: unknown): StateError {
    if (!(error instanceof Busy) && !isBusy(error)) return stateFault(error, this.stateDir);
    const holder = lockHolder(databasePath(this.stateDir));
    return new StateError(
      "stateLocked",
      `the state in ${this.stateDir} is locked by ${holder ?? "another process"}; nothing was changed`,
      holder === null ? "try again when it is done" : "try again when it is done, or end it",
      { cause: error },
    );
  }

  close(): void {
    if (this.#open) this.#sqlite.close();
    this.#open = false;
  }

  #checkForm(): void {
    const found = Number(this.get("SELECT schema FROM scope")?.["schema"]);
    if (found <= schemaVersion) return;
    throw new StateError(
      "stateNewer",
      `the state in ${this.stateDir} was written by a newer Moorage (form ${found}, this one knows ${schemaVersion})`,
      "use the newer `moorage`, or choose another place with `--state DIR`; nothing was changed",
    );
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#sqlite.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  #transaction<T>(begin: string, body: () => T): T {
    this.#sqlite.exec(begin);
    try {
      const result = body();
      this.#sqlite.exec("COMMIT");
      return result;
    } catch (error) {
      if (this.#sqlite.isTransaction) this.#sqlite.exec("ROLLBACK");
      throw error;
    }
  }

  #run<T>(body: () => T): T {
    try {
      return body();
    } catch (error) {
      if (isBusy(error)) throw new Busy("the database is locked", { cause: error });
      throw error instanceof StateError ? error : stateFault(error, this.stateDir);
    }
  }
}

/** Where nobody can write, SQLite cannot make what it shares with other readers, and needs to be told that it needs none. */
function location(path: string, readOnly: boolean): string | URL {
  if (!readOnly || existsSync(`${path}-wal`) || !isReadOnlyPlace(path)) return path;
  const url = pathToFileURL(path);
  url.searchParams.set("immutable", "1");
  return url;
}

function isReadOnlyPlace(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EROFS";
  }
}

/** A database that Moorage made is never empty, not even for a moment. */
function notEmpty(path: string, stateDir: string): number {
  const stat = statSync(path);
  if (stat.isFile() && stat.size > 0) return stat.ino;
  throw new StateError(
    "stateCorrupt",
    `the database ${path} is ${stat.isFile() ? "empty" : "no file"}; it was left as it is`,
    `restore it from a copy, or stop what runs, move ${stateDir} away and deploy again`,
  );
}
