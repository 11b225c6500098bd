import { createAbort } from "@moorage/core";
import { expect, test } from "vitest";
import type { Answer } from "./answer.ts";
import { answerInTime } from "./due-answer.ts";

const never = new Promise<Answer>(() => undefined);
const answer: Answer = { ok: true, agent_id: "buzz-agent-1" };
const long = 1_000_000;

test("work that answers is the answer, and nothing is left that would hold the process", async () => {
  const { signal } = createAbort();
  expect(await answerInTime(Promise.resolve(answer), signal, { latestMs: long, endingMs: long })).toBe(answer);
});

test("work that answers after the signal is still the answer", async () => {
  const { signal, abort } = createAbort();
  const work = Promise.withResolvers<Answer>();
  const told = answerInTime(work.promise, signal, { latestMs: long, endingMs: long });
  abort();
  work.resolve(answer);
  expect(await told).toBe(answer);
});

test("a signal that came before is one too", async () => {
  const { signal, abort } = createAbort();
  abort();
  expect(await answerInTime(never, signal, { latestMs: long, endingMs: 1 })).toEqual({
    ok: false,
    error: "interrupted before the cluster answered; what was started goes on; start the agent again",
  });
});

test("work that never answers is given up when it is due, and sooner after a signal", async () => {
  const { signal, abort } = createAbort();
  expect(await answerInTime(never, signal, { latestMs: 1, endingMs: long })).toMatchObject({
    error: expect.stringMatching(/^no answer of the cluster within 0\.001 s; what was started goes on/),
  });
  const told = answerInTime(never, signal, { latestMs: long, endingMs: 1 });
  abort();
  expect(await told).toMatchObject({ error: expect.stringMatching(/^interrupted before/) });
});

test("a fault stays one", async () => {
  const { signal } = createAbort();
  await expect(answerInTime(Promise.reject(new Error("broken")), signal)).rejects.toThrow("broken");
});
