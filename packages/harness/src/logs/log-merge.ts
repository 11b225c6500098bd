/** Several agents' logs as one. */
import type { LogEvent } from "./log-reader.ts";

export interface NamedLog<Name> {
  readonly name: Name;
  readonly events: AsyncIterable<LogEvent>;
}

export interface NamedEvent<Name> {
  readonly name: Name;
  readonly event: LogEvent;
}

interface Source<Name> {
  readonly name: Name;
  readonly events: AsyncIterator<LogEvent>;
  /** Undefined: asked for, and not there yet. Null: there is none any more. */
  head: LogEvent | null | undefined;
}

/** What is there in the order of time, then what comes as it comes. `caughtUp` comes once, for all. */
export async function* mergeLogs<Name>(
  logs: readonly NamedLog<Name>[],
): AsyncGenerator<NamedEvent<Name>, void, undefined> {
  const merge = new Merge(logs);
  try {
    yield* merge.stored();
    yield* merge.live();
  } finally {
    await merge.close();
  }
}

class Merge<Name> {
  readonly #sources: readonly Source<Name>[];
  /** Sources whose head has come, in that order. */
  readonly #ready: Source<Name>[] = [];
  #fault: { readonly error: unknown } | null = null;
  #wake: () => void = () => undefined;

  constructor(logs: readonly NamedLog<Name>[]) {
    this.#sources = logs.map(({ name, events }) => ({ name, events: events[Symbol.asyncIterator](), head: undefined }));
    for (const source of this.#sources) this.#ask(source);
  }

  /** The oldest of all heads first, hence only when all are known. */
  async *stored(): AsyncGenerator<NamedEvent<Name>, void, undefined> {
    const caughtUp: Source<Name>[] = [];
    for (let open = [...this.#sources]; open.length > 0; ) {
      while (open.some(({ head }) => head === undefined)) await this.#change();
      caughtUp.push(...open.filter(({ head }) => head?.kind === "caughtUp"));
      open = open.filter(({ head }) => head !== null && head?.kind !== "caughtUp");
      const [first] = open.toSorted((a, b) => timeOf(a) - timeOf(b));
      if (first?.head) yield { name: first.name, event: first.head };
      if (first !== undefined) this.#ask(first);
    }
    this.#ready.length = 0;
    const [one] = caughtUp;
    if (one !== undefined) yield { name: one.name, event: { kind: "caughtUp" } };
    for (const source of caughtUp) this.#ask(source);
  }

  async *live(): AsyncGenerator<NamedEvent<Name>, void, undefined> {
    while (this.#ready.length > 0 || this.#sources.some(({ head }) => head === undefined)) {
      const source = this.#ready.shift();
      if (source === undefined) await this.#change();
      else if (source.head) {
        yield { name: source.name, event: source.head };
        this.#ask(source);
      }
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#sources.map(async ({ events }) => events.return?.()));
  }

  #ask(source: Source<Name>): void {
    source.head = undefined;
    source.events.next().then(
      (result) => {
        source.head = result.done === true ? null : result.value;
        this.#ready.push(source);
        this.#wake();
      },
      (error: unknown) => {
        source.head = null;
        this.#fault ??= { error };
        this.#wake();
      },
    );
  }

  /** Resolves when something has come. */
  async #change(): Promise<void> {
    if (this.#fault === null) await new Promise<void>((resolve) => (this.#wake = resolve));
    if (this.#fault !== null) throw this.#fault.error;
  }
}

/** A gap stands before the lines that come after it. */
function timeOf({ head }: Source<unknown>): number {
  return head?.kind === "line" ? head.time : Number.NEGATIVE_INFINITY;
}
