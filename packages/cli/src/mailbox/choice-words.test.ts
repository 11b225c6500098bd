import { expect, test } from "vitest";
import { choiceMeaning, choiceOf, choiceWord, decideCommand } from "./choice-words.ts";

const choices = ["approve", "reject", "retry", "goOn", "goBack", "acknowledge"] as const;

test.each(choices)("%s is written, read and explained", (choice) => {
  expect(choiceOf(choiceWord(choice))).toBe(choice);
  expect(choiceOf(choice)).toBe(choice);
  expect(decideCommand("4f2a", choice)).toContain("4f2a");
  expect(choiceMeaning("coldMove", choice)).not.toBe("");
});

test("a slip is told with what was meant", () => {
  expect(() => choiceOf("go-bakc")).toThrow(
    expect.objectContaining({ code: "usage", hint: "did you mean go-back?" }) as Error,
  );
  expect(() => choiceOf("constructor")).toThrow(expect.objectContaining({ code: "usage" }) as Error);
});
