/** The persisted form of a notice: JSON, versioned, read strictly. */
import {
  count,
  fields,
  keyOf,
  listOf,
  oneOf,
  orNull,
  type Reader,
  readFormat,
  text,
  texts,
  variants,
} from "../plain-data.ts";
import type { Choice, Notice, NoticeAbout, NoticeState, Subject } from "./notice.ts";
import { noticeFormat } from "./notice.ts";

export function writeNotice(notice: Notice): string {
  return JSON.stringify(notice);
}

/** Throws a `PlainDataError` that names the place of what is unknown, missing or wrong. */
export function readNotice(written: string): Notice {
  return readFormat(written, noticeFormat, notice);
}

const choice = keyOf<Choice>({
  approve: true,
  reject: true,
  retry: true,
  goOn: true,
  goBack: true,
  leave: true,
  acknowledge: true,
});

const state: Reader<NoticeState> = variants<NoticeState, "kind">("kind", {
  open: fields({ kind: oneOf("open") }),
  snoozed: fields({ kind: oneOf("snoozed"), until: count, by: text, at: count }),
  decided: fields({ kind: oneOf("decided"), choice, by: text, at: count }),
  superseded: fields({ kind: oneOf("superseded"), by: orNull(text), at: count }),
});

const notice = fields<Notice>({
  format: oneOf(noticeFormat),
  id: text,
  about: keyOf<NoticeAbout>({
    coldMove: true,
    moveHeld: true,
    pointOfNoReturn: true,
    bundleRefused: true,
    bundleReverted: true,
    bundlePutOff: true,
    equivocation: true,
    agentEnded: true,
    cannotStart: true,
    nodeLost: true,
  }),
  subject: fields<Subject>({ kind: oneOf("agent", "fleet"), name: text }),
  reason: text,
  evidence: texts,
  choices: listOf(choice),
  raisedAt: count,
  state,
  revision: count,
});
