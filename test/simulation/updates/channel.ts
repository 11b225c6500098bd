/** The channel of a fleet: its line of bundles, what was assigned and what was confirmed; and what each bundle does to an agent. */
import type { Channel, Life, LifeBundle, ManifestFacts, PublishVerdict, RuntimeTarget } from "@moorage/core";
import { decidePublish, firstDifference } from "@moorage/core";

/** `slow` does not arrive at the first try; `broken` never verifies; `bad` crashes the agent that works with it. */
export type Nature = "good" | "bad" | "slow" | "broken";

export interface Published extends LifeBundle {
  readonly parent: string | null;
  readonly nature: Nature;
}

export interface Content {
  /** Another number is another catalog. */
  readonly content: number;
  readonly nature: Nature;
  readonly target: RuntimeTarget;
}

export const channel: Channel = { fleet: "writers", catalog: "main" };

export class ChannelStore {
  readonly line: Published[] = [];
  assigned: Published | null = null;
  /** Digests that any agent has confirmed. */
  readonly #confirmed = new Set<string>();

  head(): { sequence: number; digest: string } | null {
    const last = this.line.at(-1);
    return last === undefined ? null : { sequence: last.sequence, digest: last.digest };
  }

  /** In one step with the read of the head. */
  publish(what: Content, parent: string | null, sequence: number, assign: boolean): PublishVerdict {
    const { content, nature, target } = what;
    const digest = `d${sequence}-${content}-${nature}-${target.wireVersion}-${target.eventLogSchema}`;
    const verdict = decidePublish(channel, this.head(), { channel, sequence, parent, digest });
    if (verdict.kind === "publish")
      this.line.push({ digest, catalogHash: hashOf(content, nature), sequence, target, parent, nature });
    if (assign && (verdict.kind === "publish" || verdict.kind === "already")) this.assign(digest);
    return verdict;
  }

  assign(digest: string): void {
    this.assigned = this.find(digest) ?? this.assigned;
  }

  confirm(digest: string): void {
    this.#confirmed.add(digest);
  }

  find(digest: string | null): Published | undefined {
    return this.line.find((one) => one.digest === digest);
  }

  /** The newest for this runtime that any agent confirmed. */
  confirmedFor(target: RuntimeTarget): Published | undefined {
    return this.line.findLast((one) => this.#confirmed.has(one.digest) && firstDifference(one.target, target) === null);
  }

  /** What a start may fall back on: what was confirmed, or what is assigned and verifies. */
  forStart({ run }: Life): { readonly bundle: LifeBundle; readonly confirmed: boolean } | null {
    const confirmed = this.confirmedFor(run.target);
    if (confirmed !== undefined) return { bundle: bundleOf(confirmed), confirmed: true };
    const { assigned } = this;
    if (assigned === null || assigned.nature === "broken") return null;
    return { bundle: bundleOf(assigned), confirmed: false };
  }
}

export function bundleOf({ digest, catalogHash, sequence, target }: Published): LifeBundle {
  return { digest, catalogHash, sequence, target };
}

export function manifestOf(one: Published): ManifestFacts {
  return { ...bundleOf(one), channel, parent: one.parent, rootVersion: 1, expiresAt: null };
}

/** Content and nature are one: what is bad once is bad under every name. */
function hashOf(content: number, nature: Nature): string {
  const digits = `${nature.charCodeAt(0).toString(16)}${content.toString(16).padStart(2, "0")}`;
  return `v1:sha256:${digits.repeat(32).slice(0, 64)}`;
}
