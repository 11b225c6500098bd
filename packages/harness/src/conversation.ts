/** What an agent tells its supervisor and is told by it: turns, health, drain; each change goes into the live facts. */
import fs from "node:fs";
import type { Clock } from "@moorage/core";
import type { ApiServer, ServedApi } from "./api/server.ts";
import { serveApi } from "./api/server.ts";
import type { LostTurn } from "./endings.ts";
import type { FactsFile } from "./facts.ts";
import { namedTurns, openFacts } from "./facts.ts";
import type { Health } from "./health.ts";
import { fileHealth, sameHealth, toldHealth } from "./health.ts";
import type { BundleAtHand, LiveCatalog } from "./live-catalog.ts";
import type { SupervisorSpec } from "./spec.ts";
import type { TurnCatalog } from "./turns.ts";
import { Turns } from "./turns.ts";

export interface ConversationPorts {
  /** What delivers bundles; null: the catalog is a copy that never changes, if there is one. */
  readonly catalog: LiveCatalog | null;
  readonly clock: Clock;
  /** Milliseconds since 1970, for people and for the modification of the health file. */
  readonly wallTime: () => number;
  readonly onTurnEnded: () => void;
  readonly onPoke: () => void;
}

export class Conversation {
  readonly #spec: SupervisorSpec;
  readonly #ports: ConversationPorts;
  readonly #turns: Turns;
  readonly #facts: FactsFile;
  #health: Health = { kind: "unknown" };
  #connected = false;
  #drainingSince: string | null = null;
  #server: ApiServer | null = null;

  constructor(spec: SupervisorSpec, ports: ConversationPorts) {
    this.#spec = spec;
    this.#ports = ports;
    this.#turns = new Turns(ports.clock.now());
    this.#facts = openFacts(spec.factsPath);
    this.#tell();
  }

  /** Makes the socket. Rejects with an error that names its path. */
  async open(): Promise<void> {
    this.#server = await serveApi(this.#api(), this.#spec.socketPath);
  }

  get inFlight(): number {
    return this.#turns.inFlight;
  }

  get health(): Health {
    return this.#health;
  }

  /** Directories of the catalogs that turns in flight see. */
  catalogs(): ReadonlySet<string> {
    return this.#turns.catalogs();
  }

  /** Tells whoever listens. */
  bundle(event: "staged" | "switched", bundle: BundleAtHand): void {
    this.#server?.announceBundle(event, bundle);
  }

  /** Milliseconds of the awake clock without any turn. */
  quietMs(): number {
    return this.#turns.quietMs(this.#ports.clock.now());
  }

  /** What an end right now loses, oldest first. */
  lost(): LostTurn[] {
    return this.#turns.lostAt(this.#ports.clock.now());
  }

  /** Refuses turns from now on and tells the agent how many milliseconds those in flight have. */
  drain(drainMs: number): void {
    const since = this.#at();
    this.#turns.drain();
    this.#drainingSince = since;
    this.#server?.announceDrain({ since, drainMs });
    this.#tell();
  }

  /** The socket is made again where it was cleaned away, and the health file is looked at. */
  async check(): Promise<void> {
    const { health } = this.#spec;
    if (health.kind === "file") {
      this.#fares(fileHealth(this.#health, modifiedAt(health.path), this.#ports.wallTime(), health.maxAgeMs));
    }
    await this.#server?.check();
  }

  close(): void {
    this.#server?.close();
    this.#facts.close();
  }

  #api(): ServedApi {
    const { catalog } = this.#ports;
    const live = (): TurnCatalog | null => this.#live();
    return {
      get catalogDir() {
        return live()?.directory ?? null;
      },
      variable: (name) => (Object.hasOwn(this.#spec.env, name) ? this.#spec.env[name] : undefined),
      beginTurn: () => {
        this.#connected = true;
        catalog?.connected();
        const begun = this.#turns.begin(this.#ports.clock.now(), this.#at(), () => {
          // The boundary: first the switch, then the turn. Those in flight keep what they began with.
          catalog?.boundary();
          return live();
        });
        this.#tell();
        return begun;
      },
      endTurn: (id, outcome) => {
        const turn = this.#turns.end(id, outcome, this.#ports.clock.now(), this.#at());
        if (turn === null) return false;
        this.#tell();
        const hash = turn.catalog?.hash ?? null;
        if (outcome === "succeeded" && hash !== null) catalog?.turnCompleted(hash);
        this.#ports.onTurnEnded();
        return true;
      },
      findTurn: (id) => this.#turns.find(id),
      answerBundle: (answer) => catalog?.answer(answer) ?? false,
      putHealth: (ok, detail) => {
        this.#meet();
        if (this.#spec.health.kind !== "socket") return false;
        this.#fares(toldHealth(this.#health, { ok, detail }, this.#at()));
        return true;
      },
      poke: () => this.#ports.onPoke(),
      onListener: () => {
        this.#meet();
        catalog?.connected();
        return catalog?.staged() ?? null;
      },
    };
  }

  #live(): TurnCatalog | null {
    const { catalog } = this.#ports;
    if (catalog !== null) return catalog.current();
    const { catalogDir } = this.#spec;
    return catalogDir === null ? null : { directory: catalogDir, hash: null };
  }

  #meet(): void {
    if (this.#connected) return;
    this.#connected = true;
    this.#tell();
  }

  #fares(health: Health): void {
    if (sameHealth(this.#health, health)) return;
    const turned = health.kind === "unhealthy" && this.#health.kind !== "unhealthy";
    this.#health = health;
    this.#tell();
    if (turned) this.#ports.catalog?.unhealthy(health.detail ?? "it is not healthy any more");
  }

  #at(): string {
    return new Date(this.#ports.wallTime()).toISOString();
  }

  #tell(): void {
    this.#facts.write({
      attempt: this.#spec.attempt,
      inFlight: this.#turns.inFlight,
      oldest: this.#turns.oldest(namedTurns).map(({ id, startedAt }) => ({ id, startedAt })),
      last: this.#turns.last,
      counts: this.#turns.counts,
      connected: this.#connected,
      health: this.#health,
      drainingSince: this.#drainingSince,
    });
  }
}

/** Null where it is not there, or cannot be seen. */
function modifiedAt(path: string): number | null {
  try {
    return fs.statSync(path).mtimeMs;
  } catch {
    return null;
  }
}
