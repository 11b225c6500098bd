import type { JournalEntry } from "@moorage/core";
import { redactor } from "@moorage/core";
import { expect, it } from "vitest";
import { diagnostics } from "./diagnostics.ts";

const entry = (message: string): JournalEntry => ({
  step: "wait",
  agent: "agent-1",
  identity: "a".repeat(64),
  attempt: null,
  message,
  code: "waiting",
  rule: null,
  name: null,
});

it("each step is told on a line of its own, without a secret", () => {
  const told: string[] = [];
  const journal = diagnostics(redactor(["four-words-of-one"]), (text) => told.push(text));
  journal.append(entry("it waits"));
  journal.append(entry("it says four-words-of-one"));
  expect(told).toEqual(["wait: it waits\n", "wait: it says ***\n"]);
});

it("a start that goes on and on does not tell more than a client keeps", () => {
  let told = "";
  const journal = diagnostics(
    (text) => text,
    (text) => {
      told += text;
    },
  );
  for (let step = 0; step < 5_000; step += 1) journal.append(entry(`step ${step} ä`));
  expect(Buffer.byteLength(told)).toBeGreaterThan(32_000);
  expect(Buffer.byteLength(told)).toBeLessThanOrEqual(32_768);
  expect(told.endsWith(" ä\n")).toBe(true);
});
