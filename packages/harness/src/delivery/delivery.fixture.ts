/** A delivery in a folder of its own: a store with a channel, a clock that a test moves, and everything that it is told. */
import { hash } from "node:crypto";
import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type BundleStore,
  catalogHashOf,
  type Effect,
  ensureTrust,
  envelopeBytes,
  type Manifest,
  manifestBytes,
  manifestDigest,
  manifestFormat,
  openStore,
  signingKeyOf,
  signManifest,
  verifyBundle,
} from "@moorage/bundle";
import { bareFloor, type Ending, type LifeRun, type NoticeDraft, type RuntimeTarget } from "@moorage/core";
import type { DeliveryTold } from "../told.ts";
import type { DeliveryPorts, DeliverySpec } from "./courier.ts";
import { type Delivery, openDelivery } from "./delivery.ts";
import { deliveryPaths, type OwnOffer } from "./delivery-files.ts";

export type Files = Readonly<Record<string, string>>;

export const channel = { fleet: "writers", catalog: "main" } as const;
export const target: RuntimeTarget = { wireVersion: 1, eventLogSchema: 2, crdApiVersion: "moorage.dev/v1alpha1" };
export const run: LifeRun = { buildId: "b1", target, takesPart: "nothing", turns: 1, bakeMs: 10_000, check: false };

/** Every file says the same, so that a mixture is seen. */
export function filesOf(content: string): Files {
  return { "a.md": content, "deep/b.md": content, "deep/er/c.md": content };
}

export interface PublishOptions {
  readonly files?: Files;
  readonly effect?: Effect;
  readonly target?: RuntimeTarget;
  readonly assign?: boolean;
}

export class Quay {
  readonly root: string;
  readonly folder: string;
  readonly store: BundleStore;
  readonly pin: string;
  /** Milliseconds of the awake clock, and since 1970. */
  now = 1_000_000;
  readonly told: DeliveryTold[] = [];
  readonly raised: NoticeDraft[] = [];
  logTail = "the end of its log";
  mailboxIsThere = true;
  readonly #open: Delivery[] = [];
  #tokens = 0;

  constructor(root: string = fs.mkdtempSync(join(tmpdir(), "quay-"))) {
    this.root = root;
    this.folder = join(root, "instances", "scribe", "delivery");
    this.store = openStore(join(root, "bundles"), { now: Date.now });
    fs.mkdirSync(join(root, "trust"), { recursive: true, mode: 0o700 });
    this.pin = ensureTrust(join(root, "trust")).digest;
  }

  get link(): string {
    return deliveryPaths(this.folder).live;
  }

  publish(content: string, options: PublishOptions = {}): OwnOffer {
    const files = options.files ?? filesOf(content);
    const head = this.store.head(channel);
    const components = Object.entries(files)
      .map(([path, text]) => ({
        path,
        kind: "prompt" as const,
        effect: options.effect ?? "turn",
        size: Buffer.byteLength(text),
        sha256: hash("sha256", text, "hex"),
      }))
      .sort((one, other) => (one.path < other.path ? -1 : 1));
    const manifest: Manifest = {
      format: manifestFormat,
      channel,
      sequence: (head?.sequence ?? 0) + 1,
      parent: head?.digest ?? null,
      target: options.target ?? target,
      catalogHash: catalogHashOf(components),
      created: "2026-01-01T00:00:00.000Z",
      expires: null,
      rootVersion: 1,
      components,
    };
    const trust = join(this.root, "trust");
    const verdict = verifyBundle(envelopeBytes(signManifest(manifest, [signingKeyOf(trust)])), {
      root: ensureTrust(trust),
      channel,
      floor: this.store.floor(channel),
      accepted: new Set(),
      running: null,
      now: Date.parse("2026-02-01T00:00:00.000Z"),
      payload: ({ path }) => Buffer.from(files[path] ?? ""),
    });
    if (verdict.kind === "refused") throw new Error(verdict.message);
    this.store.put(verdict.bundle, ({ path }) => Buffer.from(files[path] ?? ""));
    this.store.publish(verdict.bundle);
    const digest = manifestDigest(manifestBytes(manifest));
    if (options.assign !== false) this.store.assign(channel, digest);
    return { digest, catalogHash: manifest.catalogHash, sequence: manifest.sequence };
  }

  open(spec: Partial<DeliverySpec> = {}, ports: Partial<DeliveryPorts> = {}): Delivery {
    const delivery = openDelivery(
      {
        agent: "scribe",
        folder: this.folder,
        storeFolder: join(this.root, "bundles"),
        trustFolder: join(this.root, "trust"),
        trustPin: this.pin,
        channel,
        floor: bareFloor,
        signal: null,
        ...spec,
      },
      {
        clock: { now: () => this.now, sleep: () => Promise.resolve() },
        wallTime: () => this.now,
        random: { token: (digits) => String((this.#tokens += 1)).padStart(digits, "0"), fraction: () => 0.5 },
        raise: async (draft) => {
          if (!this.mailboxIsThere) throw new Error("the mailbox is not there");
          this.raised.push(draft);
        },
        tell: (told) => void this.told.push(told),
        logTail: () => this.logTail,
        ...ports,
      },
    );
    this.#open.push(delivery);
    return delivery;
  }

  /** Open and running on what it was given; throws when it is not. */
  async running(spec: Partial<DeliverySpec> = {}, ports: Partial<DeliveryPorts> = {}): Promise<Delivery> {
    const delivery = this.open(spec, ports);
    const start = delivery.prepareStart(run);
    if (start.kind !== "launch") throw new Error(`it is not launched: ${JSON.stringify(start)}`);
    delivery.started();
    await delivery.settled();
    return delivery;
  }

  /** A turn on what is live, the time that a trial takes, and the look that finds it good. */
  prove(delivery: Delivery): void {
    takeTurn(delivery);
    this.now += 20_000;
    delivery.look(healthy);
  }

  /** The states that a bundle went through, as they were told. */
  statesOf(digest: string): string[] {
    return this.told.flatMap((told) => (told.kind === "bundle" && told.digest === digest ? [told.state] : []));
  }

  troubles(): string[] {
    return this.told.flatMap((told) => (told.kind === "trouble" ? [told.detail] : []));
  }

  clear(): void {
    for (const delivery of this.#open.splice(0)) delivery.close();
    fs.rmSync(this.root, { recursive: true, force: true });
  }
}

/** What all files of a copy say; throws for a mixture. */
export function contentOf(directory: string): string {
  const texts = fs
    .readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => fs.readFileSync(join(entry.parentPath, entry.name), "utf8"));
  const [first = ""] = texts;
  if (texts.length !== 3 || texts.some((text) => text !== first)) throw new Error(`a mixture: ${texts.join(", ")}`);
  return first;
}

/** A turn that sees what is live from its begin to its end. */
export function takeTurn(delivery: Delivery): string {
  delivery.connected();
  delivery.boundary();
  const current = delivery.current();
  if (current === null) throw new Error("there is no catalog");
  const content = contentOf(current.directory);
  delivery.turnCompleted(current.hash);
  return content;
}

export const healthy = { kind: "healthy", detail: null } as const;

export const crash: Ending = { reason: "exited", exitCode: 1, signal: null, detail: null, at: null };
export const done: Ending = { ...crash, exitCode: 0 };
