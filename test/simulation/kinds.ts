/** The two kinds of histories: starts of agents, and updates of a fleet. Each is drawn from a seed, played, cut down and told. */
import { play } from "./play.ts";
import { randomHistory } from "./random-history.ts";
import { shrink } from "./shrink.ts";
import { tellStory } from "./story.ts";
import { playFleet } from "./updates/play-fleet.ts";
import { randomFleetHistory } from "./updates/random-fleet-history.ts";
import { shrinkFleet, tellFleet } from "./updates/tell-fleet.ts";

export type KindName = "starts" | "updates";

export interface Kind {
  /** Whether the history of this seed breaks a promise. */
  readonly breaks: (seed: number) => Promise<boolean>;
  /** The story of this seed, cut down to what matters unless all of it is wanted. */
  readonly tell: (seed: number, whole: boolean) => Promise<string>;
}

export const kinds: Readonly<Record<KindName, Kind>> = {
  starts: {
    breaks: async (seed) => (await play(randomHistory(seed))).violations.length > 0,
    tell: async (seed, whole) => {
      const history = randomHistory(seed);
      const [first] = (await play(history)).violations;
      const told = whole || first === undefined ? history : await shrink(history, first.promise);
      return tellStory(told, await play(told, { story: true }));
    },
  },
  updates: {
    breaks: async (seed) => (await playFleet(randomFleetHistory(seed))).violations.length > 0,
    tell: async (seed, whole) => {
      const history = randomFleetHistory(seed);
      const [first] = (await playFleet(history)).violations;
      const told = whole || first === undefined ? history : await shrinkFleet(history, first.promise);
      return tellFleet(told, await playFleet(told, { story: true }));
    },
  },
};

/** Every kind, or the one of that name; undefined: there is none of that name. */
export function kindsNamed(name: string): KindName[] | undefined {
  if (name === "both") return ["starts", "updates"];
  return name === "starts" || name === "updates" ? [name] : undefined;
}
