import { expect, it } from "vitest";
import { answerLine } from "./answer.ts";
import { configSchema } from "./config-schema.ts";
import { info } from "./info.ts";
import { providerVersion } from "./version.ts";

it("a form is answered with exactly what the protocol names", () => {
  const answer = info(() => 0);
  expect(answer).toEqual({
    ok: true,
    name: "Moorage",
    version: providerVersion,
    protocol_version: 1,
    description: expect.stringMatching(/^[A-Z].*\.$/),
    config_schema: configSchema(() => 0),
  });
  expect(answerLine(answer).length).toBeLessThan(20_000);
});
