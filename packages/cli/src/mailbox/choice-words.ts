/** What a person may choose about a notice: how it is written on a command line, and what it means. */
import type { NoticeAbout, NoticeChoice } from "@moorage/core";
import { usageError } from "../errors/cli-error.ts";
import { didYouMean } from "../text/did-you-mean.ts";

const words: Readonly<Record<NoticeChoice, string>> = {
  approve: "approve",
  reject: "reject",
  retry: "retry",
  goOn: "go-on",
  goBack: "go-back",
  leave: "leave",
  acknowledge: "acknowledge",
};

/** `go-on` for goOn. */
export function choiceWord(choice: NoticeChoice): string {
  return words[choice];
}

/** Throws `usage` for what is no choice of any notice, with those that this one offers. */
export function choiceOf(word: string, offered: readonly NoticeChoice[]): NoticeChoice {
  const all = Object.keys(words) as NoticeChoice[];
  const found = all.find((choice) => choice === word || words[choice] === word);
  if (found !== undefined) return found;
  const known = offered.map(choiceWord);
  const meant = didYouMean(word, known);
  throw usageError(
    `${JSON.stringify(word)} is no choice`,
    meant !== undefined
      ? `did you mean ${meant}?`
      : known.length === 0
        ? "there is nothing to choose about this notice: it is for knowing"
        : `choices are: ${known.join(", ")}`,
  );
}

/** The command that decides it. */
export function decideCommand(id: string, choice: NoticeChoice): string {
  return choice === "approve" || choice === "reject"
    ? `moorage mailbox ${choice} ${id}`
    : `moorage mailbox decide ${id} ${words[choice]}`;
}

/** What comes of a choice, in one sentence without its end. */
export function choiceMeaning(about: NoticeAbout, choice: NoticeChoice): string {
  switch (choice) {
    case "approve":
      return about === "coldMove"
        ? "stop the whole fleet, switch it to the new formats and start it again, in this very call"
        : "it may be done";
    case "reject":
      return about === "coldMove" ? "nothing is stopped; the fleet stays on its formats" : "it is not done";
    case "retry":
      return "offer the bundle to this agent again; if it fails again, it comes back again";
    case "goOn":
      return about === "pointOfNoReturn"
        ? "do not go back: go on to the new formats from where it was held"
        : "try again from where it was held";
    case "goBack":
      return about === "pointOfNoReturn"
        ? "bring the old builds back up in spite of it; what was written in the new format is not read by them"
        : "bring the old formats and the old builds back up";
    case "leave":
      return "end it without what fails: the fleet has the old formats, and who does not run stays stopped";
    case "acknowledge":
      return "you have seen it; nothing is done";
    default:
      return choice satisfies never;
  }
}
