/** What must not compile: a state of a bundle or of a cold move with data that it cannot have, or without data that it has to have. */
import { test } from "vitest";
import type { Candidate, LifeBundle, Use } from "./life.ts";
import type { LifeEvent } from "./life-events.ts";
import type { MoveEffect, MoveState } from "./move.ts";

declare const bundle: LifeBundle;
declare const progress: Extract<Use, { kind: "trial" }>["progress"];

test("a trial knows what it would come back to, and an offer is no verified bundle", () => {
  // @ts-expect-error the last known good is missing: null has to be said
  const trial: Use = { kind: "trial", bundle, nonce: null, progress };
  // @ts-expect-error coming back without a last known good is no state
  const returning: Use = { kind: "returning", lastGood: null, failed: bundle, why: { reason: "crash", detail: "" } };
  // @ts-expect-error what is verified has a bundle, not an offer
  const verified: Candidate = { state: "verified", offer: { ...bundle, nonce: "" }, tries: 0 };
  // @ts-expect-error what is put off is put off from a step, never from being put off
  const deferred: Candidate = { state: "deferred", cause: "timeout", from: { state: "deferred" } };
  // @ts-expect-error a failure that passes by itself is none of the agent's words
  const failed: LifeEvent = { kind: "failed", digest: "d", cause: "notNow", at: 0 };
  void [trial, returning, verified, deferred, failed];
});

test("a cold move is held on its way, and opens for one side", () => {
  // @ts-expect-error nothing holds what is at its end
  const held: MoveState = { kind: "held", at: { kind: "done" }, why: "" };
  // @ts-expect-error a gate that opens says for whom
  const open: MoveEffect = { kind: "open", epoch: 1 };
  // @ts-expect-error to stop everything has no word: the sides are named
  const stop: MoveEffect = { kind: "stop" };
  void [held, open, stop];
});
