/** What helps against a bundle that was refused or taken back: what a person has to do is not the same for each. */
import type { DeliveryFacts } from "@moorage/local";

type HeldBack = Pick<DeliveryFacts["heldBack"][number], "reason" | "detail">;

/** One sentence, with the command. `signal`: the one that is declared to tell the agent of new files. */
export function remedy({ reason, detail }: HeldBack, agent: string, signal: string | null): string {
  const whole = "`moorage mailbox` has the whole of it, and the retry";
  if (isOfSignal({ reason, detail }, signal)) return `${signalAdvice(signal)}; ${whole}`;
  switch (reason) {
    case "rootRollback":
      return "run `moorage update apply`: it publishes the catalog anew, signed for the trust root that counts";
    case "signature":
      return `run \`moorage restart ${agent}\`: it has pinned the trust root that counted when it was started; if the one that counts now did not sign it, \`moorage update apply\` publishes it anew`;
    case "incompatible":
      return "publish it for the formats of the build that runs, or move the fleet: `moorage update plan` says what differs";
    default:
      return `correct its catalog and run \`moorage update apply\`; ${whole}`;
  }
}

/** Where there was nothing to come back on: it does not run, and nothing is held back from its next start. */
export function remedyOfEnd(held: HeldBack, agent: string, signal: string | null): string {
  const start = `\`moorage deploy ${agent}\` starts it again`;
  if (isOfSignal(held, signal)) return `${signalAdvice(signal)}; ${start}`;
  return `correct its catalog and run \`moorage update apply\`; ${start}`;
}

function isOfSignal({ reason, detail }: HeldBack, signal: string | null): signal is string {
  return signal !== null && reason === "crash" && new RegExp(`\\b${signal}\\b`).test(detail);
}

function signalAdvice(signal: string): string {
  return `it is ended by the signal that tells it of a new catalog: have it handle ${signal}, or leave \`signal:\` out of the declaration`;
}
