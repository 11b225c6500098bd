/** Virtual time: a heap of events; every port resolves only as one of them, so that one seed gives one order. */

interface Event {
  readonly time: number;
  readonly order: number;
  readonly run: () => void;
  cancelled: boolean;
}

export interface Scheduler {
  /** Milliseconds since the history began. */
  now(): number;
  /** Runs it that many milliseconds from now; the returned function takes it back. */
  after(ms: number, run: () => void): () => void;
  /** Runs events in their order until `done`, until none is left or until `limit` is passed. True: `done`. */
  run(done: () => boolean, limit: number): Promise<boolean>;
}

export function createScheduler(): Scheduler {
  const heap: Event[] = [];
  let now = 0;
  let order = 0;
  return {
    now: () => now,
    after(ms, run) {
      const event = { time: now + Math.max(0, ms), order, run, cancelled: false };
      order += 1;
      push(heap, event);
      return () => {
        event.cancelled = true;
      };
    },
    async run(done, limit) {
      await settled();
      while (!done()) {
        const event = pop(heap);
        if (event === undefined || event.time > limit) {
          if (event !== undefined) push(heap, event);
          now = limit;
          return false;
        }
        if (event.cancelled) continue;
        now = event.time;
        event.run();
        await settled();
      }
      return true;
    },
  };
}

/** Switched on now, and off again after so many milliseconds. */
export function forAWhile({ after }: Pick<Scheduler, "after">, ms: number, set: (on: boolean) => void): void {
  set(true);
  after(ms, () => set(false));
}

/** All microtasks have run: whoever could go on after the last event has gone on. */
function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

function before(a: Event, b: Event): boolean {
  return a.time < b.time || (a.time === b.time && a.order < b.order);
}

function push(heap: Event[], event: Event): void {
  let at = heap.length;
  heap.push(event);
  while (at > 0) {
    const above = (at - 1) >> 1;
    const parent = heap[above] as Event;
    if (before(parent, event)) break;
    heap[at] = parent;
    at = above;
  }
  heap[at] = event;
}

function pop(heap: Event[]): Event | undefined {
  const first = heap[0];
  const last = heap.pop();
  if (first === undefined || last === undefined || heap.length === 0) return first;
  let at = 0;
  for (;;) {
    let below = 2 * at + 1;
    if (below >= heap.length) break;
    if (below + 1 < heap.length && before(heap[below + 1] as Event, heap[below] as Event)) below += 1;
    const child = heap[below] as Event;
    if (before(last, child)) break;
    heap[at] = child;
    at = below;
  }
  heap[at] = last;
  return first;
}
