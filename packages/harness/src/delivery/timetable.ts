/** What a delivery waits for, on the awake clock: it has no timer of its own, and is asked at each look of the supervisor. */
import type { Clock, Random } from "@moorage/core";

interface Wait {
  readonly digest: string;
  /** Milliseconds. */
  readonly ms: number;
}

export class Timetable {
  readonly #clock: Clock;
  readonly #random: Random;
  #running = false;
  #retry: { readonly digest: string; readonly at: number } | null = null;
  /** `at` null: its time begins when the agent's program runs. */
  #bake: (Wait & { readonly at: number | null }) | null = null;

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  clear(): void {
    this.#running = false;
    this.#retry = this.#bake = null;
  }

  started(): void {
    this.#running = true;
    if (this.#bake !== null) this.bake(this.#bake);
  }

  exited(): void {
    this.#running = false;
  }

  /** A quarter more or less, so that not all of a fleet come at once. */
  retryAfter({ digest, ms }: Wait): void {
    this.#retry = { digest, at: this.#clock.now() + ms * (0.75 + this.#random.fraction() / 2) };
  }

  bake({ digest, ms }: Wait): void {
    this.#bake = { digest, ms, at: this.#running ? this.#clock.now() + ms : null };
  }

  /** Null: nothing waits for time. */
  dueAt(): number | null {
    const times = [this.#retry?.at, this.#bake?.at].filter((at) => typeof at === "number");
    return times.length === 0 ? null : Math.min(...times);
  }

  /** The digests whose time has come, which nothing waits for any more then. */
  takeDue(): { readonly retry: string | null; readonly baked: string | null } {
    const now = this.#clock.now();
    const retry = this.#retry !== null && now >= this.#retry.at ? this.#retry.digest : null;
    const bakeAt = this.#bake?.at ?? null;
    const baked = bakeAt !== null && now >= bakeAt ? (this.#bake?.digest ?? null) : null;
    if (retry !== null) this.#retry = null;
    if (baked !== null) this.#bake = null;
    return { retry, baked };
  }
}
