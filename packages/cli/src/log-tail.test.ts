import { expect, test } from "vitest";
import { harmless } from "./log-tail.ts";

test("a quoted line moves no cursor, clears no screen and rings no bell", () => {
  expect(harmless("\u001b[2J\u001b[1;31mred\u001b[0m\ttab\u0007\r\u009b31mé")).toBe("red\ttab31mé");
  expect(harmless("exit \u202e0 edoc\u2066")).toBe("exit 0 edoc");
});
