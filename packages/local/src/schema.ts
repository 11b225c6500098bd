/** The tables of a state directory. Changes are additive, so that a supervisor that began under an older form goes on. */

/** The form that this code writes. A database of a higher one is refused; its own running supervisors are not concerned. */
export const schemaVersion = 1;

/** Made by the first write to it as well, in a database that was made before there were documents: its form is the same. */
export const documentsTable = `CREATE TABLE IF NOT EXISTS documents (
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  revision INTEGER NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (kind, name)
) STRICT`;

/**
 * `scope` is a single row: `counter` is the one source of resource versions, `trimmed` the last version whose removals are
 * forgotten; `clock_boot` and `clock_offset` make a clock that a step of the wall clock does not move (see scope-clock.ts).
 */
export const schema: string = `
CREATE TABLE scope (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  schema INTEGER NOT NULL,
  counter INTEGER NOT NULL,
  trimmed INTEGER NOT NULL,
  clock_boot TEXT,
  clock_offset INTEGER NOT NULL,
  clock_last INTEGER NOT NULL
) STRICT;
CREATE TABLE instances (
  name TEXT PRIMARY KEY,
  uid TEXT NOT NULL,
  version INTEGER NOT NULL,
  selector TEXT NOT NULL,
  labels TEXT NOT NULL,
  annotations TEXT NOT NULL,
  secret TEXT NOT NULL,
  folder TEXT NOT NULL,
  template TEXT NOT NULL,
  launch_env TEXT NOT NULL,
  created_at TEXT NOT NULL,
  creator TEXT NOT NULL,
  claim TEXT,
  status TEXT NOT NULL,
  deletion_at TEXT,
  stop_grace INTEGER
) STRICT;
CREATE INDEX instances_of ON instances (selector);
CREATE INDEX instances_since ON instances (version);
CREATE TABLE removals (
  version INTEGER PRIMARY KEY,
  selector TEXT NOT NULL,
  last TEXT NOT NULL
) STRICT;
CREATE TABLE secrets (
  name TEXT PRIMARY KEY,
  uid TEXT NOT NULL,
  version INTEGER NOT NULL,
  selector TEXT NOT NULL,
  labels TEXT NOT NULL,
  annotations TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  data TEXT NOT NULL
) STRICT;
CREATE INDEX secrets_of ON secrets (selector);
CREATE TABLE revives (
  name TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX revives_of ON revives (name, at);
${documentsTable};
INSERT INTO scope VALUES (1, ${schemaVersion}, 1, 0, NULL, 0, 0);
`;
