/** Answers and hints in few words, for the story of a history and for the digest of its trace. */
import type { Hint, ObservedInstance, ObservedSecret } from "@moorage/core";

interface Answer {
  readonly kind?: string;
  readonly instances?: readonly ObservedInstance[];
  readonly instance?: ObservedInstance;
  readonly last?: ObservedInstance;
  readonly secrets?: readonly ObservedSecret[];
  readonly serverTime?: number | null;
  readonly detail?: string;
  readonly version?: string;
}

/** What an answer says. */
export function summary(answer: Hint | object): string {
  const { kind, instances, instance, last, secrets, serverTime, detail, version } = answer as Answer;
  const about = instance ?? last;
  const parts = [kind ?? "?"];
  if (instances !== undefined) parts.push(`[${instances.map(inWords).join(", ")}]`);
  if (about !== undefined) parts.push(inWords(about));
  if (secrets !== undefined)
    parts.push(`[${secrets.map(({ name }) => tail(name)).join(", ")}] time ${serverTime ?? "absent"}`);
  if (version !== undefined) parts.push(`v${version}`);
  if (detail !== undefined) parts.push(`(${detail})`);
  return parts.join(" ");
}

/** One instance: name, incarnation, version, what it does. */
function inWords(instance: ObservedInstance): string {
  const { container, phase, nodeLost } = instance.evidence;
  const state =
    container.state === "waiting"
      ? `waiting(${container.cause.code}${container.ranBefore ? ", ran before" : ""})`
      : container.state;
  const over = phase === "failed" || phase === "succeeded" ? `, ${phase}` : "";
  const mark = instance.deletion === null ? "" : ", marked";
  const lost = nodeLost === null ? "" : ", node lost";
  return `${tail(instance.name)}/${instance.fence.uid}@${instance.fence.resourceVersion} ${state}${over}${mark}${lost}`;
}

function tail(name: string): string {
  return name.slice(-8);
}
