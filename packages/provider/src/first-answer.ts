/** A cluster that has never answered is told soon: whoever has pressed a button would wait ten minutes for a network that is off. */
import type { Clock, Substrate } from "@moorage/core";

/** Milliseconds without any answer, from the first question that had none. */
const firstAnswerMs = 30_000;

/** The substrate as it is, but that a look which nobody has answered for so long is refused as unreachable. */
export function wantingFirstAnswer(substrate: Substrate, clock: Clock, target: string): Substrate {
  let answered = false;
  let silentSince: number | null = null;
  return {
    ...substrate,
    async readInstances(identity) {
      const asked = clock.now();
      const reading = await substrate.readInstances(identity);
      if (reading.kind !== "unavailable" || reading.busy === true) answered = true;
      if (answered || reading.kind !== "unavailable") return reading;
      // One question alone says little: a person may have signed in for as long as it took.
      if (silentSince === null) {
        silentSince = asked;
        return reading;
      }
      if (clock.now() - silentSince < firstAnswerMs) return reading;
      return { kind: "refused", refusal: { kind: "unreachable", target, detail: reading.detail } };
    },
  };
}
