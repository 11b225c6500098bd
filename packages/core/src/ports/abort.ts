/** The part of an `AbortSignal` that the loops need; every platform's signal fits it. */

export interface Abort {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** An abort of our own, for ending a follow or a sleep that is not needed any more. */
export interface AbortSource {
  readonly signal: Abort;
  abort(): void;
}

/** A fresh abort; with a parent it also aborts as soon as the parent does. Call `abort` in the end, so that the parent forgets it. */
export function createAbort(parent?: Abort): AbortSource {
  const listeners = new Set<() => void>();
  let aborted = parent?.aborted ?? false;
  const abort = (): void => {
    parent?.removeEventListener("abort", abort);
    if (aborted) return;
    aborted = true;
    for (const listener of listeners) listener();
    listeners.clear();
  };
  if (!aborted) parent?.addEventListener("abort", abort);
  const signal: Abort = {
    get aborted() {
      return aborted;
    },
    addEventListener: (_type, listener) => void listeners.add(listener),
    removeEventListener: (_type, listener) => void listeners.delete(listener),
  };
  return { signal, abort };
}
