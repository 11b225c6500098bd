/** What came of an update as a whole: for people its last line, for programs its JSON. */
import { moveJson } from "../cold-move/move-report.ts";
import { startJson } from "../start/start-one.ts";
import { stopJson } from "../stop/stop-one.ts";
import type { Applied } from "./apply.ts";
import { deliveredJson } from "./delivered-text.ts";
import type { PublishedNow } from "./publish-content.ts";

/** What the lines of the agents do not say. */
export function closingLines({ published, deliveries, restarts, plans, moves, heldBack }: Applied): string[] {
  const agents = plans.flatMap((plan) => plan.agents);
  const lines = heldBack.flatMap(({ agent, message, hint }) => [
    `${agent}: what is published failed here before, and is not offered again: ${message}`,
    `  → ${hint}`,
  ]);
  const warm = agents.filter(
    ({ release, agent }) => release.tier === "warm" && !restarts.some((one) => one.agent === agent),
  );
  for (const { agent } of warm)
    lines.push(
      `${agent}: its new build comes at its next start`,
      `  → \`moorage restart ${agent}\`, or \`moorage update apply --when-idle\` at its idle moment`,
    );
  const nothing = published.length + deliveries.length + restarts.length + moves.length === 0;
  if (nothing && agents.every(({ effect }) => effect === "nothing"))
    lines.push(agents.length === 0 ? "nothing to do: nothing of it runs here" : "nothing to do: everything is in use");
  return lines;
}

/** An `UpdateResult`. */
export function appliedJson({ published, plans, deliveries, restarts, moves }: Applied): object {
  return {
    published: published.map(publishedJson),
    plans,
    deliveries: deliveries.map(deliveredJson),
    restarts: restarts.map(({ agent, outcome, stop, start }) => ({
      agent,
      outcome,
      stop: stop === null ? null : stopJson(stop),
      start: start === null ? null : startJson(start),
    })),
    moves: moves.map(moveJson),
  };
}

function publishedJson({ channel, digest, manifest }: PublishedNow): object {
  const { sequence, parent, catalogHash } = manifest;
  return { channel, sequence, digest, parent, catalogHash };
}
