// Requests that are nearly right, a few; the long rounds play a thousand.
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Desktop, openDesktop } from "./desktop.ts";
import { playMutations } from "./play-mutations.ts";

let desktop: Desktop;
beforeAll(async () => {
  desktop = await openDesktop();
});
afterAll(() => desktop.close());

test("50 random changes to a valid request", async () => {
  const { refused, valid } = await playMutations(desktop, 50);
  // Some of both, so that neither is what everything ends with.
  expect({ refused: refused > 3, valid: valid > 3 }).toEqual({ refused: true, valid: true });
});
