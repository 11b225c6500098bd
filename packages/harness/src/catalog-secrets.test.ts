import { describe, expect, it } from "vitest";
import { fillInSecrets } from "./catalog-secrets.ts";

const env: Readonly<Record<string, string>> = { API_KEY: 'a"b\n$&', OTHER: "o" };
const filled = (path: string, body: string | Buffer): string => {
  const answer = fillInSecrets(path, Buffer.from(body), (name) => env[name]);
  return answer.kind === "filled" ? answer.body.toString("latin1") : `missing ${answer.name}`;
};

describe("a reference to a secret", () => {
  it.each([
    ["in a text is the value as it is", "a.md", "use ${secret:API_KEY}, or ${secret:OTHER}", 'use a"b\n$&, or o'],
    ["in JSON leaves it JSON", "a.json", '{"k":"${secret:API_KEY}"}', '{"k":"a\\"b\\n$&"}'],
    ["to nothing is told by its name", "a.md", "${secret:OTHER} ${secret:NONE}", "missing NONE"],
    [
      "that is malformed is text",
      "a.md",
      "${secret:} ${secret:1a} $secret:OTHER",
      "${secret:} ${secret:1a} $secret:OTHER",
    ],
    ["is not looked for in a value", "a.md", "${secret:NESTED}", "missing NESTED"],
  ])("%s", (_words, path, body, expected) => {
    expect(filled(path, body)).toBe(expected);
  });

  it("leaves bytes that are no text alone", () => {
    const bytes = Buffer.concat([Buffer.from("${secret:OTHER}"), Buffer.from([0xff])]);
    expect(filled("a.bin", bytes)).toBe("${secret:OTHER}ÿ");
  });

  it("does not see what every object has", () => {
    expect(fillInSecrets("a.md", Buffer.from("${secret:constructor}"), () => undefined)).toEqual({
      kind: "missing",
      name: "constructor",
    });
  });
});
