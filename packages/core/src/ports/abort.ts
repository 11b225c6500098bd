/** The part of an `AbortSignal` that the loops need; every platform's signal fits it. */

export interface Abort {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}
