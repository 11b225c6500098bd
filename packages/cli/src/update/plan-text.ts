/** A plan for people: one line an agent with both parts, and below it why. */
import type { AgentPlan, UpdatePlan } from "@moorage/core";
import { axisWords, momentTexts } from "@moorage/core";
import type { Output } from "../output/output.ts";
import { aligned } from "../text/aligned.ts";
import { bundleName, shortHash } from "./bundle-name.ts";
import { channelText } from "./catalog-line.ts";
import type { AgentView, Available, FleetView } from "./observe-fleet.ts";
import { startsAfterMove } from "./observe-fleet.ts";
import { mayShowItself } from "./shows-itself.ts";

/** The lines of one fleet. */
export function planText(view: FleetView, plan: UpdatePlan, output: Output): string[] {
  const headings = ["AGENT", "RUNS", "RELEASE", "BUNDLE", "EFFECT", "WHEN"];
  const plans = new Map(plan.agents.map((each) => [each.agent, each] as const));
  const rows = view.agents.map((agent) => rowOf(agent, plans.get(agent.declared.name), view));
  const [heading = "", ...lines] = aligned([headings, ...rows]);
  return [
    output.style("bold", `fleet ${view.fleet}`),
    ...view.available.map(availableText),
    output.style("dim", heading),
    ...view.agents.flatMap((agent, index) => [
      lines[index] ?? "",
      ...whys(agent, plans.get(agent.declared.name)).map((why) => `  ${output.style("dim", why)}`),
    ]),
  ];
}

/** Which bundle the plan is about. */
function availableText({ line, source, bundle, head, sameContent }: Available): string {
  const channel = channelText(line.channel);
  if (bundle === null) return `${channel}: nothing is published; the first deploy does it`;
  if (source === "published") return `${channel}: ${bundleName(bundle)}, as it is published`;
  const since =
    head === null
      ? "nothing was published before"
      : sameContent
        ? `the content of ${head}, for the formats and the key that count now`
        : `edited since ${head}`;
  return `${channel}: ${bundleName(bundle)}, as \`moorage update apply\` would publish ${line.path} (${since})`;
}

function rowOf(
  { declared, available, instance }: AgentView,
  plan: AgentPlan | undefined,
  { open, agents }: FleetView,
): string[] {
  // Where nobody is stopped and no data moves, there is nothing to approve.
  const asks =
    agents.some((each) => each.instance !== null) || open?.eventLogSchema !== declared.fingerprint.eventLogSchema;
  if (plan === undefined) {
    if (instance !== null) return [declared.name, "elsewhere", "-", "-", "nothing", "–"];
    if (startsAfterMove(open, [declared]))
      return [declared.name, "-", "cold", "-", "whole fleet moves", asks ? "after approval" : "with the update"];
    const bundle = available?.bundle ?? null;
    return [
      declared.name,
      "-",
      "-",
      "-",
      bundle === null ? "starts without a bundle" : `starts with ${bundleName(bundle)}`,
      "at its start",
    ];
  }
  const { running, release, bundle, effect, when } = plan;
  return [declared.name, shortHash(running.buildId), release.tier, bundle.tier, effect, when];
}

/** Why, one sentence each: neither part hides the other. */
function whys(view: AgentView, plan: AgentPlan | undefined): string[] {
  const { declared, otherSource, releaseFault, listens, available, facts } = view;
  const { name } = declared;
  if (otherSource !== null) return [`it runs from another declaration, ${otherSource}: plan it from there`];
  const told = releaseFault === null ? [] : [`which build a start would use cannot be told: ${releaseFault}`];
  if (plan === undefined) return told;
  const { release, bundle } = plan;
  const [, ...more] = plan.when.split("; ");
  const first = plan.when.split("; ")[0] ?? "";
  if (bundle.tier === "incompatible")
    told.push(
      `bundle: built for ${axisWords[bundle.axis]} ${bundle.expected}, and ${name} runs ${bundle.actual}${plan.effect.includes("with the bundle") ? "; both come together" : ""}`,
    );
  else if (bundle.tier === "hot") {
    const used = facts?.process?.delivery?.inUse ?? null;
    const from = used === null ? "" : `${bundleName(used)} → `;
    const to = available?.bundle === null || available === null ? "" : bundleName(available.bundle);
    const late = listens
      ? first === "next start" && mayShowItself(facts)
        ? "; if it tells its turns, which it has not shown yet, at its next turn"
        : ""
      : "; it was started before this catalog had its channel";
    told.push(`bundle: ${from}${to}, ${moment(first)}${late}`);
  }
  if (release.tier === "warm")
    told.push(
      `release: runs ${shortHash(plan.running.buildId)}, next start ${shortHash(view.release?.buildId ?? "")}; what runs goes on`,
    );
  if (release.tier === "cold")
    told.push(
      `release: another ${release.axes.map((axis) => axisWords[axis]).join(", ")}: ${moment(more[0] ?? first)}`,
    );
  return told;
}

function moment(when: string): string {
  return Object.hasOwn(momentTexts, when) ? momentTexts[when as keyof typeof momentTexts] : when;
}
