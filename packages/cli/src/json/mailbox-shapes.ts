/** The shapes of what the mailbox and cold moves tell in JSON. */
import * as z from "zod/mini";

const text = z.string();
const maybe = z.nullable(text);
const whole = z.int().check(z.nonnegative());
const choice = z.enum(["approve", "reject", "retry", "goOn", "goBack", "leave", "acknowledge"]);
const target = z.strictObject({ wireVersion: whole, eventLogSchema: whole, crdApiVersion: text });

const notice = z.strictObject({
  id: text,
  about: z.enum([
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
  ]),
  subject: z.strictObject({ kind: z.enum(["agent", "fleet"]), name: text }),
  reason: text,
  evidence: z.record(text, text),
  choices: z.array(choice),
  raisedAt: text,
  revision: whole,
  state: z.enum(["open", "snoozed", "decided", "superseded"]),
  snoozedUntil: maybe,
  decision: z.nullable(z.strictObject({ choice, by: text, at: text })),
  supersededBy: maybe,
});

/** A cold move as a call leaves it. */
export const moveShape: z.ZodMiniType<object> = z.strictObject({
  fleet: text,
  outcome: z.enum(["done", "aborted", "rolledBack", "waiting", "held", "busy", "takenOver", "interrupted", "nothing"]),
  id: maybe,
  state: maybe,
  why: maybe,
  moves: maybe,
  from: z.nullable(target),
  to: z.nullable(target),
  members: z.array(z.strictObject({ agent: text, oldBuild: text, newBuild: text })),
  notice: maybe,
});

export type MailboxResultKind = "MailboxResult" | "NoticeResult" | "MailboxDecision";

export const mailboxFields: Readonly<Record<MailboxResultKind, z.core.$ZodShape>> = {
  MailboxResult: { notices: z.array(notice), unreadable: z.array(text) },
  NoticeResult: { notice },
  MailboxDecision: {
    notice,
    retry: z.nullable(z.strictObject({ agent: text, bundle: text })),
    move: z.nullable(moveShape),
  },
};
