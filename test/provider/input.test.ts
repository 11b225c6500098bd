// What comes on standard input, however it comes: always one answer on one line, and whoever writes is never cut off.
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../machine/until.ts";
import { answerOf, type Desktop, openDesktop, pretendOld, refusalOf } from "./desktop.ts";
import { deployRequest, secretValues } from "./request.ts";

let desktop: Desktop;
beforeAll(async () => {
  desktop = await openDesktop();
});
afterAll(() => desktop.close());

const whole = JSON.stringify(deployRequest());

test("a form is answered, another namespace in each", async () => {
  const answers = await Promise.all([1, 2].map(() => desktop.ask({ op: "info", request_id: "1" })));
  const [one, other] = answers.map((ended) => answerOf(ended)) as { config_schema?: { properties: object } }[];
  expect(one).toMatchObject({ ok: true, name: "Moorage", protocol_version: 1 });
  const namespace = { type: "string", default: expect.stringMatching(/^buzz-agents-[a-z0-9]{6}$/) };
  expect(one?.config_schema?.properties).toMatchObject({ namespace });
  expect(one?.config_schema).not.toEqual(other?.config_schema);
  for (const { stderr } of answers) expect(stderr).toBe("");
});

test.each([
  ["nothing at all", "", /there is no request/],
  ["white space", " \n\t ", /there is no request/],
  ["half an object", whole.slice(0, whole.indexOf("auth-tag") + 12), /not valid JSON/],
  ["two objects", `${whole}\n${whole}`, /not valid JSON/],
  ["two forms", '{"op":"info"}{"op":"info"}', /not valid JSON/],
  ["a list", `[${whole}]`, /must be one JSON object/],
  ["a text", JSON.stringify(whole), /must be one JSON object/],
  ["null", "null", /must be one JSON object/],
  ["an object without op", "{}", /^op: is required/],
  ["an unknown op", '{"op":"undeploy"}', /^op: "undeploy" is not known; there are info and deploy$/],
  ["an op that is no text", '{"op":["info"]}', /^op: must be a text/],
  ["bytes that are no UTF-8", Buffer.concat([Buffer.from(whole), Buffer.from([0xff])]), /not valid UTF-8/],
  ["a cut character", Buffer.from('{"op":"é').subarray(0, 8), /not valid UTF-8/],
  ["an object 100,000 deep", `{"op":"deploy","agent":${"[".repeat(100_000)}${"]".repeat(100_000)}}`, /^agent: /],
])("%s is refused in an answer", async (_what, input, expected) => {
  const ended = await desktop.ask(input);
  expect(refusalOf(ended, secretValues)).toMatch(expected);
  expect(ended.stderr).toBe("");
});

test("a request in many pieces is one request", async () => {
  const running = desktop.start();
  for (const character of '{"op":"info"}\n') {
    running.stdin.write(character);
    await new Promise((resolve) => setImmediate(resolve));
  }
  running.stdin.end();
  expect(answerOf(await running.ended)).toMatchObject({ ok: true });
});

test("20 MB are read to their end and refused", async () => {
  const ended = await desktop.ask(deployRequest({ agent: { system_prompt: "x".repeat(20_000_000) } }));
  expect(refusalOf(ended, secretValues)).toBe("the request is longer than 8388608 bytes");
});

test("7 MB are judged by what they say", async () => {
  const ended = await desktop.ask(deployRequest({ agent: { system_prompt: "x".repeat(7_000_000), relay_url: " " } }));
  expect(refusalOf(ended, secretValues)).toMatch(/^agent.relay_url: /);
});

test("without an end of the input there is no answer, and a signal ends it", async () => {
  const running = desktop.start();
  running.stdin.write(whole);
  await until("all of it is read", () => running.stdin.writableLength === 0);
  running.kill("SIGTERM");
  const ended = await running.ended;
  expect(ended).toMatchObject({ code: null, signal: "SIGTERM", stderr: "" });
  expect(ended.stdout.length).toBe(0);
});

test("a Node that is too old says so in an answer, once all is read", async () => {
  const ended = await desktop.ask(deployRequest({ agent: { system_prompt: "x".repeat(3_000_000) } }), {
    nodeArgs: pretendOld,
  });
  expect(refusalOf(ended, secretValues)).toMatch(/^Node 24 or newer is needed, and this is v/);
});
