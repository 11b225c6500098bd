/** What a cold move starts its agents from, on both sides: recorded beside the move when it is proposed, without a secret value. */
import type { Documents, Identity, Notes, ProcessTemplate } from "@moorage/core";

export interface MemberLaunch {
  readonly agent: string;
  readonly identity: Identity;
  readonly template: ProcessTemplate;
  readonly notes: Notes;
}

/** What a side's bundles are in one catalog of the fleet, by the digest of the manifest; null: none was assigned. */
export interface CatalogSides {
  readonly catalog: string;
  readonly old: string | null;
  readonly new: string;
}

export interface LaunchRecord {
  readonly format: typeof launchFormat;
  /** The move's id. */
  readonly move: string;
  readonly fleet: string;
  /** Of what ran when the move was proposed. Who did not run has nothing to be brought back. */
  readonly old: readonly MemberLaunch[];
  readonly new: readonly MemberLaunch[];
  readonly catalogs: readonly CatalogSides[];
}

export const launchFormat = 1;

/** Written before its move is, under an id that nobody else has. */
export async function writeLaunches(documents: Documents, record: LaunchRecord): Promise<void> {
  const text = JSON.stringify(record);
  for (;;) {
    const stored = await documents.read("launch", record.move);
    if ((await documents.swap("launch", record.move, stored?.revision ?? null, text)) === "swapped") return;
  }
}

/** Null: it is not there, or another version wrote it. */
export async function readLaunches(documents: Documents, move: string): Promise<LaunchRecord | null> {
  const stored = await documents.read("launch", move);
  return stored === null ? null : recordIn(stored.text);
}

/**
 * Removes those of a fleet's other moves. Only for who has just written the fleet's move: whoever had a record of their own
 * and has not yet written the move will find that somebody was faster.
 */
export async function forgetOtherLaunches(documents: Documents, fleet: string, move: string): Promise<void> {
  for (const { name, text, revision } of await documents.list("launch"))
    if (name !== move && recordIn(text)?.fleet === fleet) await documents.swap("launch", name, revision, null);
}

function recordIn(text: string): LaunchRecord | null {
  const record = JSON.parse(text) as LaunchRecord;
  return (record.format as number) === launchFormat ? record : null;
}
