/** What an update does to an agent, and when, in the fixed words of a plan. */

/** What happens to the catalog. `held back`: it failed here before, under this very build. */
export type CatalogEffect = "new catalog" | "bundle held back" | "bundle refused";

/** What happens to the build. A bundle that only fits the new formats comes with them. */
export type BuildEffect = "new build" | "whole fleet moves" | "whole fleet moves, with the bundle";

/** Both are told where both happen: the catalog first. */
export type Effect = "nothing" | CatalogEffect | BuildEffect | `${CatalogEffect}; ${BuildEffect}`;

/** `now`: agents that take their catalog from files and a signal make no claim about turns. */
export type CatalogMoment = "next turn" | "now, by a signal" | "next start" | "after a retry" | "never";

export type BuildMoment = "next start" | "after approval";

/** In the order of the effects; said once where both come at the same moment. */
export type When = "–" | CatalogMoment | BuildMoment | `${CatalogMoment}; ${BuildMoment}`;

/** One part of what happens, and its moment. */
export interface Part<E, M> {
  readonly effect: E;
  readonly when: M;
}

export type CatalogPart = Part<CatalogEffect, CatalogMoment>;
export type BuildPart = Part<BuildEffect, BuildMoment>;

/** Both parts in words; neither hides the other. */
export function inWords(catalog: CatalogPart | null, build: BuildPart | null): Part<Effect, When> {
  if (catalog === null) return build ?? { effect: "nothing", when: "–" };
  if (build === null) return catalog;
  return {
    effect: `${catalog.effect}; ${build.effect}`,
    when: catalog.when === build.when ? build.when : `${catalog.when}; ${build.when}`,
  };
}

/** What a sentence about each moment says, for people. */
export const momentTexts: Readonly<Record<CatalogMoment | BuildMoment, string>> = {
  "next turn": "at its next turn, without a restart",
  "now, by a signal": "now: its files change and it gets its signal",
  "next start": "at its next start; what runs goes on",
  "after a retry": "not before its day is over, a person retries it, another bundle comes, or another build",
  "after approval": "after an operator's approval: the whole fleet stops, is switched and starts",
  never: "never: it was built for another runtime",
};
