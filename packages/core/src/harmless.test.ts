import { expect, it } from "vitest";
import { harmless } from "./harmless.ts";

it("leaves out what moves a cursor, clears a screen or rings, and keeps what it is about", () => {
  expect(harmless("\u001b[2J\u001b[1;31mred\u001b[0m\ttab\u0007\ré")).toBe("red\ttabé");
});

it("knows the introducer of one character as well", () => {
  expect(harmless("\u009b1;31mred\u009b0m")).toBe("red");
});

it("leaves out what turns text around", () => {
  expect(harmless("exit \u202e0 edoc\u2066")).toBe("exit 0 edoc");
});
