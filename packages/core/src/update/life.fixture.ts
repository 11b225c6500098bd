/** Lives for tests: bundles by content, and a driver that persists the life at each step, as a harness does. */
import type { ManifestFacts } from "./channel.ts";
import { runtimeTargetOf } from "./fingerprint.ts";
import { build, hashOf } from "./fingerprints.fixture.ts";
import type { Life, LifeBundle, Run } from "./life.ts";
import { newLife } from "./life.ts";
import type { Assigned, Happening, LifeEffect } from "./life-events.ts";
import { readLife, writeLife } from "./read-life.ts";
import { stepLife } from "./trial.ts";

export const channel = { fleet: "writers", catalog: "main" };
const target = runtimeTargetOf(build());

/** The manifest number `sequence` of the channel; its content is told by two digits. */
export function bundleOf(sequence: number, digits: string, changes: Partial<LifeBundle> = {}): LifeBundle {
  return { digest: `d${sequence}`, catalogHash: hashOf(digits), sequence, target, ...changes };
}

export function runOf(changes: Partial<Run> = {}): Run {
  return { buildId: "b1", target, takesPart: "socket", turns: 1, bakeMs: 10_000, check: false, ...changes };
}

export class Driver {
  life: Life;
  at = 1_000_000;
  /** Of the last event. */
  effects: readonly LifeEffect[] = [];

  constructor(run: Run = runOf()) {
    this.life = newLife(channel, run);
  }

  tell(event: Happening): this {
    const { life, effects } = stepLife(this.life, { ...event, at: this.at });
    this.life = readLife(writeLife(life));
    this.effects = effects;
    return this;
  }

  start(assigned: Assigned | null = null, run: Run = this.life.run): this {
    return this.tell({ kind: "starting", run, assigned });
  }

  offer({ digest, catalogHash, sequence }: LifeBundle, nonce = `n${sequence}`): this {
    return this.tell({ kind: "offered", offer: { digest, catalogHash, sequence, nonce } });
  }

  check(bundle: LifeBundle, changes: Partial<ManifestFacts> = {}, takesEffect: "turn" | "start" = "turn"): this {
    return this.tell({ kind: "checked", manifest: manifestOf(bundle, changes), takesEffect });
  }

  /** As far as the wait for a boundary or a start. */
  stage(bundle: LifeBundle, takesEffect: "turn" | "start" = "turn"): this {
    const { digest } = bundle;
    this.offer(bundle).tell({ kind: "fetched", digest }).check(bundle, {}, takesEffect);
    return this.tell({ kind: "staged", digest });
  }

  /** On trial, by way of a boundary. */
  tryOut(bundle: LifeBundle): this {
    return this.stage(bundle).tell({ kind: "boundary" }).tell({ kind: "switched", digest: bundle.digest });
  }

  /** Proven, as an agent at the socket proves it. */
  prove({ digest, catalogHash }: LifeBundle): this {
    return this.tell({ kind: "turnCompleted", catalogHash }).tell({ kind: "baked", digest });
  }

  /** The effects of one kind of the last event. */
  did<K extends LifeEffect["kind"]>(kind: K): Extract<LifeEffect, { kind: K }>[] {
    return this.effects.filter((effect): effect is Extract<LifeEffect, { kind: K }> => effect.kind === kind);
  }
}

/** Its parent is the one before, where it is not told otherwise. */
export function manifestOf(bundle: LifeBundle, changes: Partial<ManifestFacts> = {}): ManifestFacts {
  const { digest, catalogHash, sequence } = bundle;
  const parent = sequence === 1 ? null : `d${sequence - 1}`;
  return {
    channel,
    digest,
    catalogHash,
    sequence,
    parent,
    target: bundle.target,
    rootVersion: 1,
    expiresAt: null,
    ...changes,
  };
}

/** An agent that runs on a confirmed first bundle. */
export function settled(run: Run = runOf()): Driver {
  return new Driver(run).start({ bundle: bundleOf(1, "a"), confirmed: true });
}
