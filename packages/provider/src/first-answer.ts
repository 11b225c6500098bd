/** A cluster that has never answered is told soon: whoever has pressed a button would wait ten minutes for a network that is off. */
import type { Clock, Substrate } from "@moorage/core";

/** Milliseconds without any answer, from the first question on. */
const firstAnswerMs = 30_000;

/** The substrate as it is, but that a look which nobody has answered for so long is refused as unreachable. */
export function wantingFirstAnswer(substrate: Substrate, clock: Clock, target: string): Substrate {
  let answered = false;
  let asked: number | null = null;
  return {
    ...substrate,
    async readInstances(identity) {
      asked ??= clock.now();
      const reading = await substrate.readInstances(identity);
      if (reading.kind !== "unavailable") answered = true;
      if (answered || reading.kind !== "unavailable" || clock.now() - asked < firstAnswerMs) return reading;
      return { kind: "refused", refusal: { kind: "unreachable", target, detail: reading.detail } };
    },
  };
}
