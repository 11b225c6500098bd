import { expectTypeOf, test } from "vitest";
import type { Agent, Catalog, Turn } from "./index.ts";

declare const agent: Agent;

test("a turn resolves with what its work returns", () => {
  expectTypeOf(agent.turn(async () => 7)).toEqualTypeOf<Promise<number>>();
  expectTypeOf(agent.turn(() => "seven")).toEqualTypeOf<Promise<string>>();
  expectTypeOf(agent.turn).parameter(0).parameter(0).toEqualTypeOf<Turn>();
});

test("a catalog is read at once, and its JSON is not trusted", () => {
  expectTypeOf<Catalog["text"]>().returns.toEqualTypeOf<string>();
  expectTypeOf<Catalog["json"]>().returns.toEqualTypeOf<unknown>();
});

test("a loop has the items of its source", () => {
  expectTypeOf(agent.untilDrain([1, 2])).toEqualTypeOf<AsyncIterable<number>>();
  expectTypeOf(agent.untilDrain([Promise.resolve("a")])).toEqualTypeOf<AsyncIterable<string>>();
});

test("what an agent is told cannot be changed", () => {
  // @ts-expect-error a signal is the harness's to abort
  agent.draining.abort();
  // @ts-expect-error a turn's id is given
  ({}) as Turn["id"] satisfies number;
  // @ts-expect-error health is a yes or a no
  void agent.health("fine");
});
