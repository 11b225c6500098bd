/** Tells that something of ours has changed in the namespace: one watch, opened when it is first needed, that goes on between the questions. */
import type { Abort } from "@moorage/core";
import { abortEither } from "./abort-either.ts";
import { listingOf } from "./listing.ts";
import { ourSelector, pathOf, withQuery } from "./paths.ts";
import type { ClusterScope, Requests } from "./requests.ts";
import { metadataList } from "./requests.ts";
import type { WatchSource } from "./watch.ts";
import { watch } from "./watch.ts";
import { openWatch } from "./watch-source.ts";

export interface ChangeReader {
  /**
   * Resolves at the next change of any pod of ours, or at once for one that came since its last answer; else after `ms`
   * milliseconds, or when the signal aborts. It never rejects. A change is a hint: read again.
   */
  next(ms: number, signal: Abort): Promise<void>;
}

export class PodChanges {
  readonly #scope: ClusterScope;
  readonly #requests: Requests;
  readonly #life: Abort;
  readonly #waiting = new Set<() => void>();
  #watching = false;
  /** How many changes were heard of. */
  #heard = 0;
  /** Of the last read of the whole scope: what happened after it is a change. */
  #version: string | null = null;

  constructor(scope: ClusterScope, requests: Requests, life: Abort) {
    this.#scope = scope;
    this.#requests = requests;
    this.#life = life;
  }

  /** A reader has seen everything up to this version: here begins the watch that nobody has needed yet. */
  scopeRead(version: string): void {
    this.#version = version;
  }

  /** Each reader is told of each change, whatever others have asked. */
  reader(): ChangeReader {
    let told = this.#heard;
    return {
      next: async (ms, signal) => {
        this.#begin();
        if (told === this.#heard) await this.#change(ms, signal);
        told = this.#heard;
      },
    };
  }

  async #change(ms: number, signal: Abort): Promise<void> {
    const over = abortEither(signal, this.#life);
    const wake = (): void => over.abort();
    this.#waiting.add(wake);
    try {
      await this.#scope.clock.sleep(ms, over.signal);
    } finally {
      this.#waiting.delete(wake);
      over.abort();
    }
  }

  #begin(): void {
    if (this.#watching) return;
    this.#watching = true;
    void this.#watch();
  }

  async #watch(): Promise<void> {
    const { clock, random, profile, namespace } = this.#scope;
    const query = { labelSelector: ourSelector(profile) };
    const source: WatchSource = {
      list: async () =>
        listingOf(await this.#requests.get("list", "pods", withQuery(pathOf(namespace, "pods"), query), metadataList)),
      open: (version, aborted) => openWatch(this.#scope, "pods", query, version, aborted),
    };
    for await (const told of watch(source, this.#version, { clock, random, signal: this.#life })) {
      if (told.kind === "paused") continue;
      // After a list nobody knows what happened before it.
      this.#heard += 1;
      for (const wake of this.#waiting) wake();
    }
  }
}
