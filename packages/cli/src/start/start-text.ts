/** What came of a start, for people: what is so, and the exact command that helps. */
import type { Output } from "../output/output.ts";
import { describeDuration } from "../text/duration.ts";
import { sinceText } from "../text/time.ts";
import type { StartResult } from "./start-one.ts";

/** The lines of one agent. `tail` are the last lines that it wrote, where it has ended. */
export function startText(result: StartResult, output: Output, tail: readonly string[]): string {
  const { agent, outcome, condition } = result;
  const lines: string[] = [];
  if (outcome === "started") {
    lines.push(`${agent}: ${output.style("green", "started")}, after ${describeDuration(result.elapsedMs)}`);
    if (!output.quiet) lines.push(hint(output, `\`moorage logs ${agent} -f\` shows what it writes`));
  } else if (outcome === "alreadyRunning") {
    const since = result.startedAt === null ? "" : ` since ${sinceText(result.startedAt, Date.now())}`;
    lines.push(`${agent}: ${output.style("green", "already running")}${since}; nothing touched`);
    if (condition === null) lines.push(...divergence(result, output));
  } else lines.push(`${agent}: ${output.style("red", failed(result))}`);
  if (condition !== null) {
    lines.push(`  ${condition.message}`);
    for (const line of tail) lines.push(`  ${output.style("dim", "│")} ${line}`);
    lines.push(hint(output, condition.hint));
  }
  return lines.join("\n");
}

/** Only of one that has ended is it known that it does not run. */
function failed({ outcome, condition }: StartResult): string {
  if (condition?.code === "agentEnded") return "not running";
  return outcome === "notConfirmed" ? "not confirmed as running" : "not started";
}

function divergence({ agent, intent }: StartResult, output: Output): string[] {
  switch (intent) {
    case "current":
      return [];
    case "diverged":
      return [
        "  the declaration has changed since it was started",
        hint(output, `\`moorage restart ${agent}\` takes the change over`),
      ];
    case "notComparable":
      return [
        "  another version started it: whether it is what you declared cannot be told",
        hint(output, `\`moorage restart ${agent}\` starts it anew`),
      ];
    default:
      return intent satisfies never;
  }
}

function hint(output: Output, text: string): string {
  return `  ${output.style("dim", "→")} ${text}`;
}
