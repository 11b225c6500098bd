/** From what a life wants a person to know to the notice of the operator's mailbox. */
import type { LifeEffect, NoticeAbout, NoticeChoice, NoticeDraft } from "@moorage/core";

export type LifeNotice = Extract<LifeEffect, { kind: "notice" }>;

export interface NoticeFacts {
  readonly agent: string;
  readonly buildId: string;
  /** A bundle had been confirmed before. */
  readonly confirmedBefore: boolean;
  /** The end of the agent's log, without secret values. */
  readonly logTail: () => string;
}

/** A slot of the life has room for it, beside everything else. UTF-16 code units. */
const logAtMost = 4_000;

export function noticeOf(effect: LifeNotice, { agent, buildId, confirmedBefore, logTail }: NoticeFacts): NoticeDraft {
  const { digest, reason, detail, withLog } = effect;
  const log = withLog ? logTail().slice(-logAtMost) : "";
  return {
    about: aboutOf(effect),
    subject: { kind: "agent", name: agent },
    reason: sentenceOf(effect, agent, confirmedBefore),
    evidence: { bundle: digest, build: buildId, reason, detail, ...(log === "" ? {} : { log }) },
    choices: choicesOf(effect),
  };
}

function aboutOf({ about, reason }: LifeNotice): NoticeAbout {
  switch (about) {
    case "refused":
      return reason === "equivocation" ? "equivocation" : "bundleRefused";
    case "reverted":
      return "bundleReverted";
    case "ended":
      return "agentEnded";
    case "notNow":
      return "bundlePutOff";
    default:
      return about satisfies never;
  }
}

function sentenceOf({ about, detail }: LifeNotice, agent: string, confirmedBefore: boolean): string {
  switch (about) {
    case "refused":
      return `${agent} refused a bundle: ${detail}`;
    case "reverted":
      return `a bundle was taken back from ${agent}: ${detail}`;
    case "ended":
      return confirmedBefore
        ? `${agent} ended on its last known good bundle: ${detail}`
        : `${agent} ended before any bundle of its catalog was confirmed: ${detail}`;
    case "notNow":
      return `${agent} keeps putting a bundle off: ${detail}`;
    default:
      return about satisfies never;
  }
}

/** What is for another build, or breaks the order of its channel, does not get better by being tried again. */
function choicesOf({ about, reason }: LifeNotice): readonly NoticeChoice[] {
  const again = about === "reverted" || reason === "corrupt" || reason === "signature" || reason === "quarantined";
  return again ? ["retry", "acknowledge"] : ["acknowledge"];
}
