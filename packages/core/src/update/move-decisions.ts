/** What people have decided about a cold move, as the move is to be told: from the mailbox, as long as the facts hold. */
import { standingChoice } from "../mailbox/decide.ts";
import type { Mailbox } from "../mailbox/mailbox.ts";
import type { Choice, NoticeDraft } from "../mailbox/notice.ts";
import { sameLine } from "../mailbox/notice.ts";
import type { MoveHands } from "../ports/move-hands.ts";
import type { Move, MoveEvent } from "./move.ts";
import { questionsOf } from "./move-documents.ts";

interface Word {
  readonly choice: Choice;
  readonly by: string;
  readonly at: number;
}

/** Null: nobody has decided what the move asks now. */
export async function wordOf(
  move: Move,
  mailbox: Mailbox,
  hands: Pick<MoveHands, "members">,
): Promise<MoveEvent | null> {
  const questions = questionsOf(move);
  if (questions.length === 0) return null;
  const { notices } = await mailbox.list();
  for (const draft of questions) {
    const [word] = notices.flatMap((notice): Word[] => {
      const { state } = notice;
      const choice = sameLine(notice, draft) ? standingChoice(notice, draft) : null;
      return choice === null || state.kind !== "decided" ? [] : [{ choice, by: state.by, at: state.at }];
    });
    const event = word === undefined ? null : await eventOf(draft, word, hands);
    if (event !== null) return event;
  }
  return null;
}

async function eventOf(
  draft: NoticeDraft,
  { choice, by, at }: Word,
  hands: Pick<MoveHands, "members">,
): Promise<MoveEvent | null> {
  switch (choice) {
    case "approve":
      return { kind: "approve", by, at, members: await hands.members() };
    case "reject":
    case "goOn":
    case "leave":
      return { kind: choice, by, at };
    case "goBack":
      return { kind: "goBack", by, at, acrossNoReturn: draft.about === "pointOfNoReturn" };
    case "retry":
    case "acknowledge":
      return null;
    default:
      return choice satisfies never;
  }
}
