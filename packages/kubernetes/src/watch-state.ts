/** The life of a watch as a machine: where it stands, what was heard, and what is to be done next. No I/O, no clock, no chance. */

export type WatchState =
  /** Nothing is known: a list has to say what is there. */
  | { readonly kind: "empty"; readonly failures: number }
  | { readonly kind: "listing"; readonly failures: number }
  /** Everything up to `version` is known. */
  | { readonly kind: "listed"; readonly version: string; readonly failures: number }
  | { readonly kind: "watching"; readonly version: string; readonly failures: number };

export type WatchInput =
  /** Time to go on: at the beginning, and after a pause. */
  | { readonly kind: "go" }
  | { readonly kind: "listed"; readonly version: string }
  | { readonly kind: "listFailed"; readonly detail: string; readonly retryAfterMs: number | null }
  /** An event or a bookmark arrived. */
  | { readonly kind: "heard"; readonly version: string }
  /** 410, as the answer's status or as an event. */
  | { readonly kind: "expired" }
  /** The stream is over or could not be opened; from the same version another may follow. */
  | { readonly kind: "ended"; readonly detail: string; readonly retryAfterMs: number | null };

type WatchDemand =
  | { readonly kind: "list" }
  | { readonly kind: "watch"; readonly from: string }
  | { readonly kind: "pause"; readonly ms: number; readonly detail: string; readonly retryAfterMs: number | null }
  /** Go on reading the stream. */
  | { readonly kind: "read" };

export interface WatchStep {
  readonly state: WatchState;
  readonly demand: WatchDemand;
}

const firstPauseMs = 100;
const longestPauseMs = 10_000;

/** `chance` in [0, 1) is the jitter of this step's pause, if there is one. An input that does not fit the state throws. */
export function stepWatch(state: WatchState, input: WatchInput, chance: number): WatchStep {
  switch (state.kind) {
    case "empty":
      if (input.kind === "go") return { state: { ...state, kind: "listing" }, demand: { kind: "list" } };
      break;
    case "listing":
      // A list is progress: but a server may list well and end every watch at once, so the count stays until one tells something.
      if (input.kind === "listed") return watchFrom(input.version, state.failures);
      if (input.kind === "listFailed") return retry({ kind: "empty", failures: state.failures + 1 }, input, chance);
      break;
    case "listed":
      if (input.kind === "go") return watchFrom(state.version, state.failures);
      break;
    case "watching":
      if (input.kind === "heard") return heard(state, input.version);
      if (input.kind === "expired") {
        const failures = state.failures + 1;
        return retry({ kind: "empty", failures }, { detail: "the version is too old", retryAfterMs: null }, chance);
      }
      if (input.kind === "ended") {
        return retry({ kind: "listed", version: state.version, failures: state.failures + 1 }, input, chance);
      }
      break;
    default:
      state satisfies never;
  }
  throw new Error(`a watch that is ${state.kind} cannot hear "${input.kind}"`);
}

function watchFrom(version: string, failures: number): WatchStep {
  return { state: { kind: "watching", version, failures }, demand: { kind: "watch", from: version } };
}

/** Only a version that was not known before is progress: a stream that opens, or repeats itself, is none. */
function heard(state: { readonly version: string; readonly failures: number }, version: string): WatchStep {
  const failures = version === state.version ? state.failures : 0;
  return { state: { kind: "watching", version, failures }, demand: { kind: "read" } };
}

/** The first failure after progress costs next to nothing: a server ends each watch after a while. */
function retry(
  state:
    | { readonly kind: "empty"; readonly failures: number }
    | { readonly kind: "listed"; readonly version: string; readonly failures: number },
  { detail, retryAfterMs }: { readonly detail: string; readonly retryAfterMs: number | null },
  chance: number,
): WatchStep {
  const step = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(state.failures - 1, 16));
  const ms = Math.max(step * (0.5 + chance / 2), retryAfterMs ?? 0);
  return { state, demand: { kind: "pause", ms, detail, retryAfterMs } };
}
