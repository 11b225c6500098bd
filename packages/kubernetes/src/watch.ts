/** Performs what the watch machine asks for: lists, opens streams, reads events, pauses. One loop, for a single follow and for a watch without end. */
import type { Abort, Clock, Random } from "@moorage/core";
import type { Fields } from "./json-fields.ts";
import type { Answer, OpenStream } from "./transport.ts";
import type { WatchEvent } from "./watch-event.ts";
import { readEvent } from "./watch-event.ts";
import { noRest, splitLines } from "./watch-lines.ts";
import type { WatchInput, WatchState } from "./watch-state.ts";
import { stepWatch } from "./watch-state.ts";

export type Change = Extract<WatchEvent, { kind: "changed" } | { kind: "removed" }>;

/** What a watch tells its reader. */
export type Told =
  /** All there is, after a list. Whatever was known before and is not in it is gone. */
  | { readonly kind: "listed"; readonly objects: readonly Fields[] }
  | Change
  /** It was interrupted, and goes on by itself after a pause if the reader reads on. */
  | { readonly kind: "paused"; readonly detail: string; readonly retryAfterMs: number | null };

export type Listing =
  | { readonly kind: "listed"; readonly objects: readonly Fields[]; readonly version: string }
  | { readonly kind: "listFailed"; readonly detail: string; readonly retryAfterMs: number | null };

export interface WatchSource {
  list(): Promise<Listing>;
  open(from: string, signal: Abort): Promise<OpenStream | Answer>;
}

export interface WatchPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: Abort;
}

/** Runs until the signal aborts or the reader leaves. `from`: the version that is known already; null: it begins with a list. */
export async function* watch(
  source: WatchSource,
  from: string | null,
  { clock, random, signal }: WatchPorts,
): AsyncGenerator<Told, void> {
  const begin: WatchState =
    from === null ? { kind: "empty", failures: 0 } : { kind: "listed", version: from, failures: 0 };
  let { state, demand } = stepWatch(begin, { kind: "go" }, 0);
  while (!signal.aborted) {
    let input: WatchInput;
    switch (demand.kind) {
      case "list": {
        const listing = await source.list();
        if (listing.kind === "listed") yield { kind: "listed", objects: listing.objects };
        input = listing;
        break;
      }
      case "watch": {
        const events = readEvents(source, demand.from, signal);
        try {
          // Not a for-of: what a generator returns is lost in one.
          let next = await events.next();
          for (; next.done !== true; next = await events.next()) {
            ({ state, demand } = stepWatch(state, { kind: "heard", version: next.value.version }, 0));
            if (next.value.kind !== "bookmark") yield next.value;
          }
          input = next.value;
        } finally {
          // A reader that leaves takes the stream along.
          await events.return(ended("the reader left"));
        }
        break;
      }
      case "pause":
        yield { kind: "paused", detail: demand.detail, retryAfterMs: demand.retryAfterMs };
        await clock.sleep(demand.ms, signal);
        input = { kind: "go" };
        break;
      case "read":
        throw new Error("a stream is read to its end before anything else is asked");
      default:
        return demand satisfies never;
    }
    ({ state, demand } = stepWatch(state, input, random.fraction()));
  }
}

type Heard = Change | Extract<WatchEvent, { kind: "bookmark" }>;
type Over = Extract<WatchInput, { kind: "expired" } | { kind: "ended" }>;

/** The events of one stream; returns why it is over. */
async function* readEvents(source: WatchSource, from: string, signal: Abort): AsyncGenerator<Heard, Over> {
  const stream = await source.open(from, signal);
  if (stream.kind !== "open") return notOpened(stream);
  let rest = noRest;
  try {
    for (;;) {
      const next = await stream.chunks.next();
      if (next.done === true) return ended(next.value);
      const split = splitLines(rest, next.value);
      if (split.kind === "tooLong") return ended("a line of the watch does not end");
      rest = split.rest;
      for (const line of split.lines) {
        const event = readEvent(line);
        if (event.kind === "expired") return event;
        if (event.kind === "failed") return { ...event, kind: "ended" };
        if (event.kind === "unreadable") return ended(event.detail);
        yield event;
      }
    }
  } finally {
    await stream.chunks.return("the reader left");
  }
}

function notOpened(answer: Answer): Over {
  if (answer.kind !== "answered") return ended(answer.detail);
  if (answer.status === 410) return { kind: "expired" };
  return { kind: "ended", detail: `the watch was answered with ${answer.status}`, retryAfterMs: answer.retryAfterMs };
}

function ended(detail: string): Over {
  return { kind: "ended", detail, retryAfterMs: null };
}
