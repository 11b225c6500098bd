/** What came of a stop, for people. */
import type { Condition } from "@moorage/core";
import type { Output } from "../output/output.ts";
import { describeDuration } from "../text/duration.ts";
import type { StopResult } from "./stop-one.ts";

function advice({ message, hint }: Condition, output: Output): string[] {
  return [`  ${message}`, `  ${output.style("dim", "→")} ${hint}`];
}

export function stopText({ agent, outcome, condition, purged, elapsedMs }: StopResult, output: Output): string {
  const folder = purged ? "; its folder is removed" : "";
  switch (outcome) {
    case "stopped":
      return `${agent}: ${output.style("green", "stopped")}, after ${describeDuration(elapsedMs)}${folder}`;
    case "nothing":
      return [`${agent}: nothing to stop${folder}`, ...(condition === null ? [] : advice(condition, output))].join(
        "\n",
      );
    case "accepted":
      return `${agent}: will end after this turn`;
    case "notConfirmed":
    case "reported":
    case "refused":
    case "worldMoved": {
      const lines = [`${agent}: ${output.style("red", "not confirmed as stopped")}`];
      if (condition !== null) lines.push(...advice(condition, output));
      return lines.join("\n");
    }
    default:
      return outcome satisfies never;
  }
}
