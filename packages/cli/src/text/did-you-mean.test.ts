import { expect, test } from "vitest";
import { didYouMean } from "./did-you-mean.ts";

const known = ["fleet", "command", "secretEnv", "env", "drain", "as"];

test.each([
  ["flet", "fleet"],
  ["comand", "command"],
  ["commnad", "command"],
  ["SecretENV", "secretEnv"],
  ["evn", "env"],
  ["secret_env", "secretEnv"],
])("%s was meant as %s", (word, meant) => {
  expect(didYouMean(word, known)).toBe(meant);
});

test.each(["replicas", "x", "", "q".repeat(100_000)])("nothing is close to %.10s", (word) => {
  expect(didYouMean(word, known)).toBeUndefined();
});
