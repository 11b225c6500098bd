/** The Secrets of create attempts: their values are in the database file alone, which only its owner may read. */
import type { ObservedSecret, SecretSpec } from "@moorage/core";
import type { Database, Row } from "./database.ts";

/** Inside a write. Null: the name is taken. */
export function insertSecret(
  database: Database,
  spec: SecretSpec,
  about: { readonly uid: string; readonly selector: string; readonly createdAt: number },
): { readonly uid: string; readonly version: number } | null {
  if (secretExists(database, spec.name)) return null;
  const version = database.nextVersion();
  database.change(
    "INSERT INTO secrets VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    spec.name,
    about.uid,
    version,
    about.selector,
    JSON.stringify(spec.labels),
    JSON.stringify(spec.annotations),
    about.createdAt,
    JSON.stringify([...spec.data]),
  );
  return { uid: about.uid, version };
}

export function secretExists(database: Database, name: string): boolean {
  return database.get("SELECT 1 FROM secrets WHERE name = ?", name) !== undefined;
}

export function readSecrets(database: Database, selector: string): ObservedSecret[] {
  return database
    .all(
      "SELECT name, uid, version, labels, annotations, created_at FROM secrets WHERE selector = ? ORDER BY name",
      selector,
    )
    .map(parse);
}

/** The values of a Secret, for the supervisor of its attempt alone; null when it is not there. */
export function readSecretData(database: Database, name: string): ReadonlyMap<string, string> | null {
  const row = database.get("SELECT data FROM secrets WHERE name = ?", name);
  return row === undefined ? null : new Map(JSON.parse(row["data"] as string) as [string, string][]);
}

/** Inside a write. */
export function removeSecret(
  database: Database,
  name: string,
  fence: { readonly uid: string; readonly resourceVersion: string },
): "accepted" | "notFound" | "conflict" {
  const row = database.get("SELECT uid, version FROM secrets WHERE name = ?", name);
  if (row === undefined) return "notFound";
  if (row["uid"] !== fence.uid || String(row["version"]) !== fence.resourceVersion) return "conflict";
  database.change("DELETE FROM secrets WHERE name = ?", name);
  database.nextVersion();
  return "accepted";
}

function parse(row: Row): ObservedSecret {
  return {
    name: row["name"] as string,
    fence: { uid: row["uid"] as string, resourceVersion: String(row["version"]) },
    createdAt: row["created_at"] as number,
    labels: JSON.parse(row["labels"] as string) as Record<string, string>,
    annotations: JSON.parse(row["annotations"] as string) as Record<string, string>,
  };
}
