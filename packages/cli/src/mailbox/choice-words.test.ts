import { expect, test } from "vitest";
import { choiceMeaning, choiceOf, choiceWord, decideCommand } from "./choice-words.ts";

const choices = ["approve", "reject", "retry", "goOn", "goBack", "leave", "acknowledge"] as const;

test.each(choices)("%s is written, read and explained", (choice) => {
  expect(choiceOf(choiceWord(choice), [])).toBe(choice);
  expect(choiceOf(choice, [])).toBe(choice);
  expect(decideCommand("4f2a", choice)).toContain("4f2a");
  expect(choiceMeaning("coldMove", choice)).not.toBe("");
});

test("a slip is told with what was meant", () => {
  expect(() => choiceOf("go-bakc", ["goOn", "goBack"])).toThrow(
    expect.objectContaining({ code: "usage", hint: "did you mean go-back?" }) as Error,
  );
  expect(() => choiceOf("constructor", [])).toThrow(expect.objectContaining({ code: "usage" }) as Error);
});

test("what is no choice at all is told with those that the notice offers", () => {
  expect(() => choiceOf("bogus", ["goOn", "goBack"])).toThrow(
    expect.objectContaining({ hint: "choices are: go-on, go-back" }) as Error,
  );
  expect(() => choiceOf("bogus", [])).toThrow(
    expect.objectContaining({ hint: expect.stringContaining("for knowing") as string }) as Error,
  );
});
