/** The Documents port of core over the database of a state directory: each swap is one durable transaction. */
import type { Clock, DocumentKind, Documents, Random, StoredDocument } from "@moorage/core";
import type { Database, Row } from "./database.ts";
import { Busy } from "./database.ts";
import { documentsTable } from "./schema.ts";
import { writePatiently } from "./scope-core.ts";
import { StateError } from "./state-error.ts";

/** What one document may be at most: more is no small document, and nobody wants it read at each look. */
export const documentBytesAtMost = 1_048_576;
const nameBytesAtMost = 253;

export interface DocumentsPlace {
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
}

/** Every call may reject with a `StateError`; then nothing was changed. */
export function openDocuments(place: DocumentsPlace): Documents {
  const { database } = place;

  async function faulty<T>(body: () => T | Promise<T>): Promise<T> {
    try {
      return await body();
    } catch (error) {
      throw error instanceof Busy ? database.fault(error) : error;
    }
  }

  return {
    read: (kind, name) => faulty(() => database.read(() => (hasTable(database) ? find(database, kind, name) : null))),
    list: (kind) => faulty(() => database.read(() => (hasTable(database) ? findAll(database, kind) : []))),
    swap: (kind, name, seen, text) =>
      faulty(() => {
        checkSize(kind, name, text);
        const swap = (): "swapped" | "moved" => {
          if (!hasTable(database)) database.change(documentsTable);
          if ((find(database, kind, name)?.revision ?? null) !== seen) return "moved";
          if (text === null) database.change("DELETE FROM documents WHERE kind = ? AND name = ?", kind, name);
          else
            database.change(
              "INSERT OR REPLACE INTO documents VALUES (?, ?, ?, ?)",
              kind,
              name,
              // The one counter of the state only ever rises: a name that was removed does not begin again.
              database.nextVersion(),
              text,
            );
          return "swapped";
        };
        // Who passes the first gate of a fleet creates an instance or proposes a move: that is written durably, and all before it
        // with it. A power failure before then forgets a gate by which nothing was done.
        const lasting = kind === "gate" && seen === null ? "soon" : "durably";
        // Whoever watches waits for instances.
        return writePatiently(place, swap, lasting, "untold");
      }),
  };
}

/** Whether anything was ever written here: a database of before there were documents has no place for them. */
function hasTable(database: Database): boolean {
  return database.get("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'documents'") !== undefined;
}

function find(database: Database, kind: DocumentKind, name: string): StoredDocument | null {
  const row = database.get("SELECT name, revision, text FROM documents WHERE kind = ? AND name = ?", kind, name);
  return row === undefined ? null : parse(row);
}

function findAll(database: Database, kind: DocumentKind): StoredDocument[] {
  return database.all("SELECT name, revision, text FROM documents WHERE kind = ? ORDER BY name", kind).map(parse);
}

function parse(row: Row): StoredDocument {
  return { name: row["name"] as string, revision: row["revision"] as number, text: row["text"] as string };
}

function checkSize(kind: DocumentKind, name: string, text: string | null): void {
  if (name === "" || Buffer.byteLength(name) > nameBytesAtMost)
    throw new Error(`a ${kind} cannot be called "${name.slice(0, nameBytesAtMost)}"`);
  if (text === null || Buffer.byteLength(text) <= documentBytesAtMost) return;
  throw new StateError(
    "stateFault",
    `the ${kind} ${name} would be larger than ${documentBytesAtMost} bytes; nothing was changed`,
    "that is no size that it should ever have: report it",
  );
}
