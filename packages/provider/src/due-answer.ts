/** Sees to it that whoever asks has an answer in time, whatever a cluster does: a question to one that is on its way is not waited for. */
import type { Abort } from "@moorage/core";
import type { Answer } from "./answer.ts";

export interface Due {
  /** Milliseconds from now: a client that has waited longer than 600 s ends its provider. */
  readonly latestMs: number;
  /** Milliseconds from the moment that it is asked to end: the answer to what is on its way is better than none. */
  readonly endingMs: number;
}

const due: Due = { latestMs: 590_000, endingMs: 2_000 };

const again = "what was started goes on; start the agent again";

/** The answer, or at the latest moment another one that is true as well. The work itself goes on. */
export async function answerInTime(
  work: Promise<Answer>,
  signal: Abort,
  { latestMs, endingMs }: Due = due,
): Promise<Answer> {
  const { promise: givenUp, resolve } = Promise.withResolvers<Answer>();
  const giveUp = (ms: number, error: string): NodeJS.Timeout =>
    setTimeout(() => resolve({ ok: false, error: `${error}; ${again}` }), ms);
  let timer = giveUp(latestMs, `no answer of the cluster within ${latestMs / 1000} s`);
  const ending = (): void => {
    clearTimeout(timer);
    timer = giveUp(endingMs, "interrupted before the cluster answered");
  };
  if (signal.aborted) ending();
  else signal.addEventListener("abort", ending);
  try {
    return await Promise.race([work, givenUp]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", ending);
  }
}
