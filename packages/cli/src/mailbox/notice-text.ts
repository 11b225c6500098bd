/** Notices for people: one line each in a list, and one of them whole, with how to decide it. */
import type { Notice, NoticeAbout } from "@moorage/core";
import { harmless } from "@moorage/core";
import type { Output } from "../output/output.ts";
import { clockText, sinceText } from "../text/time.ts";
import { choiceMeaning, choiceWord, decideCommand } from "./choice-words.ts";
import { shortId } from "./find-notice.ts";

const abouts: Readonly<Record<NoticeAbout, string>> = {
  coldMove: "a cold move waits for approval",
  moveHeld: "a cold move is held",
  pointOfNoReturn: "going back behind the point of no return",
  bundleRefused: "a bundle was refused",
  bundleReverted: "a bundle was taken back",
  bundlePutOff: "a bundle is put off again and again",
  equivocation: "a channel says two things at once",
  agentEnded: "an agent ended",
  cannotStart: "an agent cannot start",
  nodeLost: "a node is lost",
};

/** What a notice is about, in words. */
export function aboutWords(about: NoticeAbout): string {
  return abouts[about];
}

/** Two lines a notice. `all`: what its ids are told apart from. `now`: milliseconds since 1970. */
export function noticeLines(shown: readonly Notice[], all: readonly Notice[], output: Output, now: number): string[] {
  return shown.flatMap((notice) => {
    const { about, subject, raisedAt, reason } = notice;
    const id = output.style("bold", shortId(notice.id, all));
    const since = sinceText(iso(raisedAt), now);
    const state = stateWords(notice, now);
    return [
      `${id}  ${subject.kind} ${subject.name}: ${aboutWords(about)}, since ${since}${state === null ? "" : `; ${state}`}`,
      `  ${firstLine(reason)}`,
    ];
  });
}

/** What has become of it, in words; null while it is open. */
export function stateWords({ state, choices }: Notice, now: number): string | null {
  switch (state.kind) {
    case "open":
      return choices.length === 0 ? "for knowing only" : null;
    case "snoozed": {
      const until = clockText(iso(state.until), now);
      return now < state.until ? `snoozed until ${until} by ${state.by}` : `snoozed by ${state.by}, which is over`;
    }
    case "decided":
      return `${choiceWord(state.choice)}, decided by ${state.by} at ${clockText(iso(state.at), now)}`;
    case "superseded":
      return state.by === null ? "over: its facts are gone" : `superseded by ${state.by}`;
    default:
      return state satisfies never;
  }
}

/** A notice whole. */
export function noticeText(notice: Notice, all: readonly Notice[], output: Output, now: number): string[] {
  const { about, subject, reason, raisedAt, evidence, choices, state } = notice;
  const id = shortId(notice.id, all);
  const lines = [
    output.style("bold", `${subject.kind} ${subject.name}: ${aboutWords(about)}`),
    firstLine(reason),
    "",
    `id       ${notice.id}, revision ${notice.revision}`,
    `since    ${sinceText(iso(raisedAt), now)}`,
    `state    ${stateWords(notice, now) ?? "waits for a decision"}`,
  ];
  lines.push(...evidenceLines(evidence, output));
  if (state.kind !== "open" && state.kind !== "snoozed") return lines;
  if (choices.length === 0) return lines;
  lines.push("", "to choose:");
  const commands = choices.map((choice) => [`\`${decideCommand(id, choice)}\``, choiceMeaning(about, choice)] as const);
  const later = [`\`moorage mailbox snooze ${id} --for 2h\``, "not now: it waits again after that"] as const;
  const width = Math.max(...[...commands, later].map(([command]) => command.length));
  for (const [command, meaning] of [...commands, later]) lines.push(`  ${command.padEnd(width)}  ${meaning}`);
  return lines;
}

/** What somebody wrote, in several lines, stands behind all else. */
function evidenceLines(evidence: Notice["evidence"], output: Output): string[] {
  const all = Object.entries(evidence);
  const quoted = all.filter(([name, value]) => name === "log" || value.includes("\n"));
  const plain = all.filter((one) => !quoted.includes(one));
  const width = Math.max(0, ...plain.map(([name]) => name.length));
  return [
    ...(plain.length === 0 ? [] : ["", "what was seen:"]),
    ...plain.map(([name, value]) => `  ${name.padEnd(width)}  ${harmless(shortDigests(value))}`),
    ...quoted.flatMap(([name, value]) => [
      "",
      name === "log" ? "the end of its log:" : `${name}:`,
      ...value.split("\n").map((line) => `  ${output.style("dim", "│")} ${harmless(line)}`),
    ]),
  ];
}

/** What a step failed with may go on for lines; it stands among what was seen. */
function firstLine(text: string): string {
  const [first = ""] = text.split("\n");
  return harmless(first);
}

/** A person compares a dozen digits; `--json` has them all. */
function shortDigests(text: string): string {
  return text.replace(/(sha256:[0-9a-f]{12})[0-9a-f]{52}/g, "$1…");
}

function iso(ms: number): string {
  // What no calendar can hold, a damaged clock has written.
  return Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : String(ms);
}
