/** What the marks of an instance tell its supervisor, read without `core`: that would double what a supervisor has to load. */
import type { InstanceRow } from "./instance-row.ts";

type Marked = Pick<InstanceRow, "name" | "secret" | "selector" | "annotations">;

export function identityOf(row: Marked): string {
  return annotation(row, "/identity") ?? row.selector;
}

export function agentOf(row: Marked): string {
  return annotation(row, "/name") ?? row.name;
}

export function attemptOf(row: Marked): string {
  return row.secret.slice(row.name.length + 1);
}

/** What a life with bundles begins from. */
export interface ChannelMarks {
  readonly fleet: string;
  readonly catalog: string;
  /** Digest of the root that bundles are verified against. */
  readonly trustRoot: string;
  /** Below this sequence nothing is accepted. */
  readonly floor: number;
}

/** Null: nothing is delivered to it. An older version created it, or somebody who knows no channels. */
export function channelOf(row: Marked): ChannelMarks | null {
  const [fleet, catalog, trustRoot] = ["/fleet", "/catalog", "/trust-root"].map((end) => annotation(row, end));
  if (fleet === undefined || catalog === undefined || trustRoot === undefined) return null;
  const floor = Number(annotation(row, "/catalog-floor") ?? "0");
  return { fleet, catalog, trustRoot, floor: Number.isSafeInteger(floor) && floor >= 0 ? floor : 0 };
}

function annotation({ annotations }: Marked, end: string): string | undefined {
  return Object.entries(annotations).find(([key]) => key.endsWith(end))?.[1];
}
