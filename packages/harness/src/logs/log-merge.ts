/** Several agents' logs as one. */

/** What any log tells: lines have a time, and `caughtUp` says that all that was there has been told. */
type Mergeable = { readonly kind: "line"; readonly time: number } | { readonly kind: "caughtUp" | "gap" };

export interface NamedLog<Name, Event> {
  readonly name: Name;
  readonly events: AsyncIterable<Event>;
}

export interface NamedEvent<Name, Event> {
  readonly name: Name;
  readonly event: Event;
}

interface Source<Name, Event> {
  readonly name: Name;
  readonly events: AsyncIterator<Event>;
  /** Undefined: asked for, and not there yet. Null: there is none any more. */
  head: Event | null | undefined;
}

/** What is there in the order of time, then what comes as it comes. `caughtUp` comes once, for all. */
export async function* mergeLogs<Name, Event extends Mergeable>(
  logs: readonly NamedLog<Name, Event>[],
): AsyncGenerator<NamedEvent<Name, Event>, void, undefined> {
  const merge = new Merge(logs);
  try {
    yield* merge.stored();
    yield* merge.live();
  } finally {
    await merge.close();
  }
}

class Merge<Name, Event extends Mergeable> {
  readonly #sources: readonly Source<Name, Event>[];
  /** Sources whose head has come, in that order. */
  readonly #ready: Source<Name, Event>[] = [];
  #fault: { readonly error: unknown } | null = null;
  #wake: () => void = () => undefined;

  constructor(logs: readonly NamedLog<Name, Event>[]) {
    this.#sources = logs.map(({ name, events }) => ({ name, events: events[Symbol.asyncIterator](), head: undefined }));
    for (const source of this.#sources) this.#ask(source);
  }

  /** The oldest of all heads first, hence only when all are known. */
  async *stored(): AsyncGenerator<NamedEvent<Name, Event>, void, undefined> {
    const caughtUp: Source<Name, Event>[] = [];
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
    if (one?.head) yield { name: one.name, event: one.head };
    for (const source of caughtUp) this.#ask(source);
  }

  async *live(): AsyncGenerator<NamedEvent<Name, Event>, void, undefined> {
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

  #ask(source: Source<Name, Event>): void {
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
function timeOf({ head }: Source<unknown, Mergeable>): number {
  return head?.kind === "line" ? head.time : Number.NEGATIVE_INFINITY;
}
