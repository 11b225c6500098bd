// A thousand requests that are nearly right.
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Desktop, openDesktop } from "./desktop.ts";
import { playMutations } from "./play-mutations.ts";

let desktop: Desktop;
beforeAll(async () => {
  desktop = await openDesktop();
});
afterAll(() => desktop.close());

test("a thousand random changes to a valid request", async () => {
  const { refused, valid } = await playMutations(desktop, 1_000);
  // Some of both, so that neither is what everything ends with.
  expect({ refused: refused > 100, valid: valid > 100 }).toEqual({ refused: true, valid: true });
});
