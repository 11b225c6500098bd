/** What an act of the demo is. */

interface Seen {
  readonly kept: boolean;
  /** What was seen, in plain words. */
  readonly words: string;
}

export interface Act {
  readonly promise: string;
  /** The command as a person would type it. */
  readonly typed: string;
  readonly play: () => Promise<Seen>;
}
