// The provider straight from the checkout: under a new enough Node, under an old one, and under an old one with no other beside it.
import { cpSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { answerOf, type Desktop, openDesktop, pretendOld, refusalOf } from "./desktop.ts";
import { deployRequest, secretValues } from "./request.ts";

const program = fileURLToPath(new URL("../../packages/provider/bin/buzz-backend-moorage.mjs", import.meta.url));
let desktop: Desktop;
beforeAll(async () => {
  desktop = await openDesktop();
});
afterAll(() => desktop.close());

test.each([
  ["a new enough Node", []],
  ["the checkout's own Node in the place of an old one", pretendOld],
])("%s answers", async (_what, nodeArgs) => {
  expect(answerOf(await desktop.ask({ op: "info" }, { program, nodeArgs }))).toMatchObject({ ok: true });
  const refused = await desktop.ask(deployRequest({ agent: { relay_url: "" } }), { program, nodeArgs });
  expect(refusalOf(refused, secretValues)).toMatch(/^agent\.relay_url: /);
});

test("an old Node with no other beside it says so in an answer", async () => {
  const alone = join(desktop.home, "packages", "provider", "bin", "buzz-backend-moorage.mjs");
  cpSync(program, alone);
  const request = deployRequest({ agent: { system_prompt: "x".repeat(3_000_000) } });
  const error = refusalOf(await desktop.ask(request, { program: alone, nodeArgs: pretendOld }), secretValues);
  expect(error).toMatch(/^Node 24 or newer is needed, and this is v/);
});
