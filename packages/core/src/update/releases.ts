/** The builds that were made available to a fleet: what was published last of each agent, kept as one document. Plain data. */
import type { Reader } from "../plain-data.ts";
import { count, fields, listOf, oneOf, readFormat, text } from "../plain-data.ts";
import { firstDifference } from "./fingerprint.ts";
import type { Release } from "./plan.ts";
import { runtimeTarget } from "./read-target.ts";

export const releasesFormat = 1;

export interface AvailableRelease extends Release {
  readonly agent: string;
  /** Milliseconds since 1970. */
  readonly publishedAt: number;
}

export interface Releases {
  readonly format: typeof releasesFormat;
  readonly fleet: string;
  /** Sorted by agent. */
  readonly agents: readonly AvailableRelease[];
}

/** What is published takes the place of what was; the same build keeps its time. Others of the fleet stay. */
export function publishReleases(
  before: Releases | null,
  fleet: string,
  published: readonly (Release & { readonly agent: string })[],
  at: number,
): Releases {
  const agents = new Map((before?.agents ?? []).map((one) => [one.agent, one]));
  for (const { agent, buildId, target } of published) {
    const earlier = agents.get(agent);
    if (earlier === undefined || !isSameRelease(earlier, { buildId, target }))
      agents.set(agent, { agent, buildId, target, publishedAt: at });
  }
  const sorted = [...agents.values()].sort((one, other) => (one.agent < other.agent ? -1 : 1));
  return { format: releasesFormat, fleet, agents: sorted };
}

function isSameRelease(one: Release, other: Release): boolean {
  return one.buildId === other.buildId && firstDifference(one.target, other.target) === null;
}

const release: Reader<AvailableRelease> = fields<AvailableRelease>({
  agent: text,
  buildId: text,
  target: runtimeTarget,
  publishedAt: count,
});

const releases: Reader<Releases> = fields<Releases>({
  format: oneOf(releasesFormat),
  fleet: text,
  agents: listOf(release),
});

/** Throws a `PlainDataError` for what is unknown, missing or wrong. */
export function readReleases(written: string): Releases {
  return readFormat(written, releasesFormat, releases);
}

export function writeReleases(all: Releases): string {
  return JSON.stringify(all);
}
