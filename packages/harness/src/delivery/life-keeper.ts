/** A life with bundles and its journal: what happened is on record before anything outside is done about it. */
import type { Disk } from "@moorage/bundle/delivery";
import type { Happening, Life, LifeEffect, LifeRun, Notice, NoticeDraft, Random } from "@moorage/core";
import { lastGood, raiseNotice, stepLife, withRun } from "@moorage/core";
import type { DeliveryTold } from "../told.ts";
import type { DeliverySpec } from "./courier.ts";
import type { LifeFile, SlotDisk } from "./life-file.ts";
import { noticeOf } from "./notice-of.ts";
import { openLife } from "./open-life.ts";
import { words } from "./trouble.ts";

export interface KeeperPorts {
  /** Milliseconds since 1970. */
  readonly wallTime: () => number;
  readonly random: Random;
  /** To the mailbox. What is rejected is tried again; the same may come twice. */
  readonly raise: (draft: NoticeDraft) => Promise<void>;
  readonly tell: (told: DeliveryTold) => void;
  /** The last lines of the agent's output, without secret values. */
  readonly logTail: () => string;
  readonly disk?: Disk;
  readonly slots?: SlotDisk;
}

/** Done at once and told before anything else: nobody outside sees it, and it can be done again from the beginning. */
export interface Inside {
  readonly kind: "fetch" | "check" | "stage";
  readonly digest: string;
}

/** `core` has those with nothing but a digest in one. */
type OfDigest<Effect> = Effect extends { readonly kind: infer Kind } ? ("fetch" extends Kind ? Effect : never) : never;
export type Outside =
  | Exclude<LifeEffect, OfDigest<LifeEffect>>
  | { readonly kind: Exclude<OfDigest<LifeEffect>["kind"], Inside["kind"]>; readonly digest: string };

export class LifeKeeper {
  life: Life | null = null;
  readonly #agent: string;
  readonly #ports: KeeperPorts;
  readonly #work: (effect: Inside) => Happening;
  #file: LifeFile | null = null;
  #kept: Life | null = null;
  #notices: readonly Notice[] = [];
  #raising: Promise<void> | null = null;
  #trouble: string | null = null;

  constructor(agent: string, ports: KeeperPorts, work: (effect: Inside) => Happening) {
    this.#agent = agent;
    this.#ports = ports;
    this.#work = work;
  }

  /** The life on record, or a new one, under the run that is about to start. Throws a `StoreError`. */
  open(spec: DeliverySpec, run: LifeRun): Life {
    if (this.#kept === null) {
      const { file, record } = openLife(spec, run, this.#ports);
      this.#file = file;
      this.#kept = record.life;
      this.#notices = record.notices;
    }
    this.life = withRun(this.#kept, run);
    return this.life;
  }

  /** What is to be done outside; null: it could not be put on record, and is as if it had not happened. */
  advance(event: Happening): readonly Outside[] | null {
    const outside: Outside[] = [];
    this.#step(event, outside);
    return this.#keep(outside) ? outside : null;
  }

  /** Again what could not be raised. */
  raise(): void {
    if (this.#notices.length === 0) return;
    this.#raising ??= this.#raiseAll().finally(() => {
      this.#raising = null;
    });
  }

  async settled(): Promise<void> {
    await this.#raising;
  }

  close(): void {
    this.#file?.close();
    this.#file = null;
  }

  get lastTrouble(): string | null {
    return this.#trouble;
  }

  /** Once, as long as it stays the same. */
  trouble(error: unknown): void {
    const detail = words(error);
    if (detail !== this.#trouble) this.#ports.tell({ kind: "trouble", detail });
    this.#trouble = detail;
  }

  #step(event: Happening, outside: Outside[]): void {
    if (this.life === null) return;
    const { life, effects } = stepLife(this.life, { ...event, at: this.#ports.wallTime() });
    this.life = life;
    for (const effect of effects) {
      switch (effect.kind) {
        case "fetch":
        case "check":
        case "stage":
          this.#step(this.#work({ kind: effect.kind, digest: effect.digest }), outside);
          break;
        case "switch":
        case "announce":
          outside.push({ kind: effect.kind, digest: effect.digest });
          break;
        default:
          outside.push(effect);
      }
    }
  }

  #keep(outside: readonly Outside[]): boolean {
    const { life } = this;
    if (life === null) return false;
    const fresh = outside.flatMap((effect) => (effect.kind === "notice" ? this.#noticeOf(effect, life) : []));
    if (life === this.#kept && fresh.length === 0) return true;
    const notices = [...this.#notices, ...fresh];
    if (!this.#write(life, notices)) {
      this.life = this.#kept;
      return false;
    }
    this.#kept = life;
    this.#notices = notices;
    this.raise();
    return true;
  }

  /** Those that wait to be raised have room beside the life, whatever happens: the same is not told twice. */
  #noticeOf(effect: Extract<Outside, { kind: "notice" }>, life: Life): Notice[] {
    const { random, wallTime, logTail } = this.#ports;
    const { buildId } = life.run;
    const draft = noticeOf(effect, { agent: this.#agent, buildId, confirmedBefore: lastGood(life) !== null, logTail });
    const raised = raiseNotice(this.#notices, draft, random.token(16), wallTime());
    return raised.kind === "raised" ? [raised.notice] : [];
  }

  async #raiseAll(): Promise<void> {
    for (;;) {
      const [notice] = this.#notices;
      if (notice === undefined) break;
      const { about, subject, reason, evidence, choices } = notice;
      try {
        await this.#ports.raise({ about, subject, reason, evidence, choices });
      } catch (error) {
        return this.trouble(error);
      }
      this.#notices = this.#notices.filter((one) => one !== notice);
    }
    // What was killed before this only raises the same once more, which is no second notice.
    if (this.#kept !== null && this.#file !== null) this.#write(this.#kept, this.#notices);
  }

  #write(life: Life, notices: readonly Notice[]): boolean {
    try {
      this.#file?.write({ life, notices });
      return this.#file !== null;
    } catch (error) {
      this.trouble(error);
      return false;
    }
  }
}
