/** An agent's connection to its harness: turns, catalog, health, drain; without a harness the same code simply runs. */
import { AgentError } from "./agent-error.ts";
import { Bundles } from "./bundles.ts";
import { type Catalog, catalogOpener, type OpenCatalog } from "./catalog.ts";
import type { HarnessEvent } from "./event-stream.ts";
import { listen } from "./event-stream.ts";
import type { HarnessClient } from "./harness-client.ts";
import { harnessClient } from "./harness-client.ts";

export interface ConnectOptions {
  /** Path of the harness's socket; null: there is none. Default: `MOORAGE_SOCKET`. */
  readonly socket?: string | null;
  /** The catalog's directory where no harness gives one. Default: `MOORAGE_CATALOG`. */
  readonly catalog?: string;
  /**
   * A bundle waits for the next turn. "notNow" puts it off: it comes again later, and a person is told of one that is put off
   * for ever. No turn begins before it has returned; what it throws changes nothing, and the bundle goes live.
   */
  readonly onStaged?: (bundle: StagedBundle) => StagedAnswer | Promise<string | undefined | void>;
  /**
   * Another catalog is live: read what was read outside of turns anew. What it throws says that the agent cannot use it; the
   * agent is then brought back on the last one that it could.
   */
  readonly onCatalog?: (catalog: Catalog) => void | Promise<void>;
}

/** Any other word, and none: it may go live. */
export type StagedAnswer = "notNow" | undefined | void;

/** A bundle before it goes live. */
export interface StagedBundle {
  readonly sequence: number;
  /** Of its files. */
  readonly hash: string;
  readonly catalog: Catalog;
}

export interface Turn {
  /** Unique for this run of the agent. */
  readonly id: string;
  /** The same from begin to end, whatever is published meanwhile. */
  readonly catalog: Catalog;
  /** Aborted when a drain is over: what is not finished now is about to be ended by signals. */
  readonly signal: AbortSignal;
}

export interface Agent {
  /** False: nobody supervises this process. */
  readonly supervised: boolean;
  /** Aborted once the agent is asked to end: finish what is in flight, begin nothing, exit. */
  readonly draining: AbortSignal;
  /** The catalog that is live now, outside of any turn: another one as soon as a bundle has gone live. */
  readonly catalog: Catalog;
  /**
   * Runs one unit of work that a stop waits for; turns may overlap. Resolves with what the work returned and rejects
   * with what it threw. Rejects with the `AgentError` `draining` (see `isDraining`) when the agent is asked to end, and
   * with `harnessGone` when its supervisor was lost; then nothing was begun.
   */
  turn<T>(work: (turn: Turn) => T | Promise<T>): Promise<T>;
  /** The same items, until the agent is asked to end: a loop over it just ends then. */
  untilDrain<T>(items: AsyncIterable<T> | Iterable<T | Promise<T>>): AsyncIterable<T>;
  /** Tells how the agent fares, for `health: { socket: true }`. It is shown, and acted upon only while a bundle is on trial. */
  health(ok: boolean, detail?: string): Promise<void>;
  /** Lets go of the harness; needed only by a process that goes on as something else. */
  close(): void;
}

/** Connects to the harness that started this process, or to none. Rejects when there is one and it does not answer. */
export async function connect(options: ConnectOptions = {}): Promise<Agent> {
  const socket = options.socket === undefined ? (process.env["MOORAGE_SOCKET"] ?? null) : options.socket;
  const directory = options.catalog ?? process.env["MOORAGE_CATALOG"] ?? null;
  const open = catalogOpener((name) => process.env[name]);
  const drain = new Drain();
  if (socket === null || socket === "") return alone(open(directory), drain);
  const client = harnessClient(socket);
  const bundles = new Bundles(client, open, open(directory), options);
  const stream = await listen(socket, (event) => {
    drain.hear(event);
    bundles.hear(event);
  });
  return supervised({ client, bundles, open }, drain, () => stream.close());
}

function alone(catalog: Catalog, drain: Drain): Agent {
  let turns = 0;
  return {
    supervised: false,
    draining: drain.signal,
    catalog,
    turn: async (work) => await drain.during(async (signal) => await work({ id: `t${(turns += 1)}`, catalog, signal })),
    untilDrain: (items) => untilAborted(items, drain.signal),
    health: async () => undefined,
    close: () => undefined,
  };
}

interface Harness {
  readonly client: HarnessClient;
  readonly bundles: Bundles;
  readonly open: OpenCatalog;
}

function supervised({ client, bundles, open }: Harness, drain: Drain, stopListening: () => void): Agent {
  return {
    supervised: true,
    draining: drain.signal,
    get catalog() {
      return bundles.live;
    },
    async turn(work) {
      await bundles.heard();
      if (drain.signal.aborted) throw drainingError();
      const begun = (await client.call("POST", "/v1/turns")) as { id: string; catalog: string | null };
      let outcome: "succeeded" | "failed" = "failed";
      try {
        const value = await drain.during(
          async (signal) => await work({ id: begun.id, catalog: open(begun.catalog), signal }),
        );
        outcome = "succeeded";
        return value;
      } finally {
        // A supervisor that was lost meanwhile takes nothing from work that is done; the next turn tells.
        await client.call("DELETE", `/v1/turns/${begun.id}`, { outcome }).catch(() => undefined);
      }
    },
    untilDrain: (items) => untilAborted(items, drain.signal),
    async health(ok, detail) {
      await client.call("PUT", "/v1/health", detail === undefined ? { ok } : { ok, detail });
    },
    close() {
      stopListening();
      client.close();
      drain.close();
    },
  };
}

/** What the harness said about the end, and the turns that have to hear when their time is over. */
class Drain {
  readonly #begun = new AbortController();
  readonly #turns = new Set<AbortController>();
  #over = false;
  #timer: NodeJS.Timeout | null = null;

  get signal(): AbortSignal {
    return this.#begun.signal;
  }

  hear({ name, data }: HarnessEvent): void {
    if (name !== "drain" || this.#begun.signal.aborted) return;
    const drainMs = typeof data === "object" && data !== null && "drainMs" in data ? Number(data.drainMs) : 0;
    this.#begun.abort(drainingError());
    this.#timer = setTimeout(() => this.#end(), drainMs);
    this.#timer.unref();
  }

  /** Each turn has a signal of its own: what listens to it goes with the turn. */
  async during<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const turn = new AbortController();
    if (this.#over) turn.abort(drainingError());
    this.#turns.add(turn);
    try {
      return await work(turn.signal);
    } finally {
      this.#turns.delete(turn);
    }
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #end(): void {
    this.#over = true;
    for (const turn of this.#turns) turn.abort(drainingError());
  }
}

function drainingError(): AgentError {
  return new AgentError("draining", "the agent is asked to end; no turn begins any more", "leave the loop, and exit");
}

/** Yields until the signal aborts, and then lets the source go without waiting for its next item. */
async function* untilAborted<T>(
  items: AsyncIterable<T> | Iterable<T | Promise<T>>,
  signal: AbortSignal,
): AsyncIterable<T> {
  const iterator = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  try {
    while (!signal.aborted) {
      const next = await unlessAborted(iterator.next(), signal);
      if (next === null || next.done === true) return;
      yield await next.value;
    }
  } finally {
    // A source that waits for something would never answer: nobody waits for it.
    void Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
}

/** Null when the signal aborts first. Nothing stays behind on a signal that lives as long as the agent. */
async function unlessAborted<T>(value: T | Promise<T>, signal: AbortSignal): Promise<T | null> {
  let onAbort: () => void = () => undefined;
  const aborted = new Promise<null>((resolve) => {
    onAbort = () => resolve(null);
    signal.addEventListener("abort", onAbort);
  });
  try {
    return await Promise.race([value, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
