import { expect, test } from "vitest";
import type { Component } from "./catalog.ts";
import { switchPoint } from "./switch-point.ts";

function component(path: string, change: Partial<Component> = {}): Component {
  return { path, kind: "prompt", effect: "turn", size: 1, sha256: "1", ...change };
}

const turn = component("a");
const start = component("b", { effect: "start" });

test.each<readonly [string, readonly Component[], readonly Component[], string]>([
  ["nothing changed", [turn, start], [turn, start], "none"],
  ["a component of the turn", [turn, start], [component("a", { sha256: "2" }), start], "turn"],
  ["a component of the start", [turn, start], [turn, component("b", { effect: "start", sha256: "2" })], "start"],
  [
    "both: the latest rule",
    [turn, start],
    [component("a", { sha256: "2" }), component("b", { effect: "start", sha256: "2" })],
    "start",
  ],
  ["one more, of the turn", [turn], [turn, component("c")], "turn"],
  ["one more, of the start", [turn], [turn, start], "start"],
  ["one less, of the start", [turn, start], [turn], "start"],
  ["another rule alone is no change", [turn], [component("a", { effect: "start" })], "none"],
  ["changed and moved to the turn: the later of both rules", [start], [component("b", { sha256: "2" })], "start"],
  ["another kind", [turn], [component("a", { kind: "data" })], "turn"],
])("%s", (_what, before, after, expected) => {
  expect(switchPoint({ components: before }, { components: after })).toBe(expected);
});
