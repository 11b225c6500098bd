/** The persisted form of a notice: JSON, versioned, read strictly. */
import { count, fields, listOf, oneOf, orNull, type Reader, readFormat, text, texts, variants } from "../plain-data.ts";
import type { Choice, Notice, NoticeState, Subject } from "./notice.ts";
import { noticeFormat } from "./notice.ts";

export function writeNotice(notice: Notice): string {
  return JSON.stringify(notice);
}

/** Throws a `PlainDataError` that names the place of what is unknown, missing or wrong. */
export function readNotice(written: string): Notice {
  return readFormat(written, noticeFormat, notice);
}

const choice: Reader<Choice> = oneOf("approve", "reject", "retry", "goOn", "goBack", "acknowledge");

const state: Reader<NoticeState> = variants<NoticeState>("kind", {
  open: fields({ kind: oneOf("open") }),
  snoozed: fields({ kind: oneOf("snoozed"), until: count, by: text, at: count }),
  decided: fields({ kind: oneOf("decided"), choice, by: text, at: count }),
  superseded: fields({ kind: oneOf("superseded"), by: orNull(text), at: count }),
});

const notice = fields<Notice>({
  format: oneOf(noticeFormat),
  id: text,
  about: oneOf(
    "coldMove",
    "moveHeld",
    "pointOfNoReturn",
    "bundleRefused",
    "bundleReverted",
    "bundlePutOff",
    "equivocation",
    "agentEnded",
    "cannotStart",
    "nodeLost",
  ),
  subject: fields<Subject>({ kind: oneOf("agent", "fleet"), name: text }),
  reason: text,
  evidence: texts,
  choices: listOf(choice),
  raisedAt: count,
  state,
  revision: count,
});
