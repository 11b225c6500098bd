/** What became of a bundle with an agent, for people and as JSON. */
import type { Output } from "../output/output.ts";
import type { Delivered, DeliveryOutcome } from "./await-answers.ts";
import { bundleName } from "./bundle-name.ts";

const words: Readonly<Record<DeliveryOutcome, string>> = {
  confirmed: "in use",
  unproven: "in use, unproven: it has lived with it, and that is all that is known",
  nextStart: "takes effect at its next start; what runs goes on",
  waiting: "not in use yet",
  refused: "refused; it goes on with what it has",
  reverted: "taken back; it goes on with what was confirmed last",
  superseded: "superseded",
  ended: "the agent has ended; it takes effect at its next start",
};

export function deliveredText(
  { agent, outcome, bundle, sameContent, lost, condition, log }: Delivered,
  output: Output,
): string {
  const good = outcome === "confirmed" || outcome === "unproven";
  const style = good
    ? "green"
    : outcome === "nextStart" || outcome === "waiting" || outcome === "ended"
      ? "yellow"
      : "red";
  const told =
    good && sameContent
      ? "in use already, and acknowledged"
      : lost
        ? "failed; the agent has ended with it"
        : words[outcome];
  const lines = [`${agent}: ${bundleName(bundle)} ${output.style(style, told)}`];
  if (condition !== null) lines.push(`  ${condition.message}`);
  for (const line of log) lines.push(`  ${output.style("dim", "│")} ${line}`);
  if (condition !== null) lines.push(`  ${output.style("dim", "→")} ${condition.hint}`);
  return lines.join("\n");
}

export function deliveredJson({ exit: _, sameContent: __, lost: ___, condition, ...rest }: Delivered): object {
  return { ...rest, condition: condition === null ? null : { code: condition.code, message: condition.message } };
}
