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
import type { SupervisorSpec } from "./spec.ts";
import { Turns } from "./turns.ts";

export interface ConversationPorts {
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
    return {
      catalogDir: this.#spec.catalogDir,
      beginTurn: () => {
        this.#connected = true;
        const begun = this.#turns.begin(this.#ports.clock.now(), this.#at());
        this.#tell();
        return begun;
      },
      endTurn: (id, outcome) => {
        const ended = this.#turns.end(id, outcome, this.#ports.clock.now(), this.#at());
        if (!ended) return false;
        this.#tell();
        this.#ports.onTurnEnded();
        return true;
      },
      hasTurn: (id) => this.#turns.has(id),
      putHealth: (ok, detail) => {
        this.#meet();
        if (this.#spec.health.kind !== "socket") return false;
        this.#fares(toldHealth(this.#health, { ok, detail }, this.#at()));
        return true;
      },
      poke: () => this.#ports.onPoke(),
      onListener: () => this.#meet(),
    };
  }

  #meet(): void {
    if (this.#connected) return;
    this.#connected = true;
    this.#tell();
  }

  #fares(health: Health): void {
    if (sameHealth(this.#health, health)) return;
    this.#health = health;
    this.#tell();
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
