import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAbort } from "@moorage/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Answer } from "./answer.ts";
import { bytesOf, type Changes, deployRequest, image, secretKey } from "./request.fixture.ts";
import { respond } from "./respond.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "respond-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Where no kubeconfig is: whoever looks for one is told that. */
function ask(bytes: Uint8Array | string): Promise<Answer> {
  const env = { HOME: folder, KUBECONFIG: join(folder, "no-kubeconfig"), PATH: "" };
  const around = { env, signal: createAbort().signal, tell: () => undefined };
  return respond(Buffer.from(bytes), around, () => 0);
}

async function errorOf(bytes: Uint8Array | string): Promise<string> {
  const answer = await ask(bytes);
  expect(Object.keys(answer)).toEqual(["ok", "error"]);
  return answer.ok ? "" : answer.error;
}

const deploy = (changes: Changes): Promise<string> => errorOf(bytesOf(deployRequest(changes)));
const whole = JSON.stringify(deployRequest());

describe("what is no request", () => {
  const notJson = "the request is not valid JSON: exactly one object is wanted";
  const notObject = "the request must be one JSON object";
  const nothing = "there is no request: one JSON object is wanted on standard input";
  it.each([
    ["nothing", "", nothing],
    ["white space", " \n\t", nothing],
    ["a byte order mark alone", "\ufeff", nothing],
    ["half of one", whole.slice(0, -20), notJson],
    ["two", `${whole}${whole}`, notJson],
    ["two on two lines", `${whole}\n${whole}\n`, notJson],
    ["something after it", `${whole} x`, notJson],
    ["words", `please deploy ${secretKey}`, notJson],
    ["single quotes", "{'op':'info'}", notJson],
    ["a number that is none", '{"op":"info","a":NaN}', notJson],
    ["a list", `[${whole}]`, notObject],
    ["a number", "5", notObject],
    ["a text", '"info"', notObject],
    ["null", "null", notObject],
    ["true", "true", notObject],
    ["no operation", "{}", "op: is required; there are info and deploy"],
    ["an operation that is null", '{"op":null}', "op: is required; there are info and deploy"],
    ["a blank operation", '{"op":" "}', "op: is required; there are info and deploy"],
    ["an operation in a list", '{"op":["info"]}', "op: must be a text; there are info and deploy"],
    ["an operation that is a number", '{"op":1}', "op: must be a text; there are info and deploy"],
    ["an operation that nobody knows", '{"op":"undeploy"}', 'op: "undeploy" is not known; there are info and deploy'],
    ["one with white space", '{"op":" info"}', 'op: " info" is not known; there are info and deploy'],
    ["one in capitals", '{"op":"INFO"}', 'op: "INFO" is not known; there are info and deploy'],
    ["an inherited name", '{"op":"toString"}', 'op: "toString" is not known; there are info and deploy'],
    ["an operation of a prototype", '{"__proto__":{"op":"info"}}', "op: is required; there are info and deploy"],
  ])("%s", async (_, text, error) => {
    expect(await ask(text)).toEqual({ ok: false, error });
  });

  it.each([
    ["a byte that begins nothing", [0xff]],
    ["half a character", [0xe2, 0x82]],
    ["too long a form", [0xc0, 0xaf]],
    ["half a pair", [0xed, 0xa0, 0x80]],
  ])("bytes that are no UTF-8: %s", async (_, bytes) => {
    const text = Buffer.concat([Buffer.from(whole.slice(0, -2)), Buffer.from(bytes), Buffer.from("}}")]);
    expect(await ask(text)).toEqual({ ok: false, error: "the request is not valid UTF-8" });
  });

  it("a secret in the place of the operation is not told, whole or in part", async () => {
    expect(await errorOf(bytesOf({ ...deployRequest(), op: secretKey }))).toBe(
      'op: "***" is not known; there are info and deploy',
    );
    const long = "part-of-a-secret-".repeat(20);
    const request = deployRequest({ agent: { auth_tag: long } });
    expect(await errorOf(bytesOf({ ...request, op: long }))).not.toContain("part-of-a-secret");
  });
});

it("a secret that is a word of ours is hidden in our own words, wherever the request is read", async () => {
  const request = deployRequest({ agent: { auth_tag: "deploy" }, launch: { env: { A: "must", B: "required" } } });
  for (const [op, error] of [
    [null, "op: is ***; there are info and ***"],
    [["info"], "op: *** be a text; there are info and ***"],
    ["undo", 'op: "undo" is not known; there are info and ***'],
  ])
    expect(await errorOf(bytesOf({ ...request, op }))).toBe(error);
  const namespace = { ...request, provider_config: { image } };
  expect(await errorOf(bytesOf(namespace))).toBe("provider_config.namespace: is ***");
});

describe("a form", () => {
  it("is answered whatever else is in the request, also after a byte order mark", async () => {
    for (const text of ['{"op":"info"}', '\ufeff {"op":"info","request_id":7,"agent":5}\n', '{"op":"x","op":"info"}'])
      expect(await ask(text)).toMatchObject({ ok: true, name: "Moorage", protocol_version: 1 });
  });
});

describe("a deploy", () => {
  it("that is whole gets as far as the kubeconfig, and is told which one is missing", async () => {
    expect(await deploy({})).toBe(
      `there is no kubeconfig at ${join(folder, "no-kubeconfig")}; name one with KUBECONFIG; your cluster's provider or administrator writes it`,
    );
  });

  it.each<readonly [string, Changes]>([
    ["agent.relay_url", { agent: { relay_url: " " } }],
    ["agent.private_key_nsec", { agent: { private_key_nsec: null } }],
    ["agent.private_key_nsec", { agent: { private_key_nsec: "nsec1nothing" } }],
    ["agent.private_key_nsec", { agent: { private_key_nsec: "0".repeat(64) } }],
    ["agent.auth_tag", { agent: { auth_tag: "" }, launch: { owner_pubkey: null } }],
    ["agent.provider", { agent: { provider: " relay-mesh " } }],
    ["agent.respond_to", { agent: { respond_to: "everybody" } }],
    ["agent.respond_to_allowlist", { agent: { respond_to: "allowlist", respond_to_allowlist: [] } }],
    ["agent.respond_to_allowlist[0]", { agent: { respond_to: "allowlist", respond_to_allowlist: ["x"] } }],
    ["agent.launch", { agent: { launch: 5 } }],
    ["agent.launch.command", { launch: { command: "/bin/sh" } }],
    ["agent.launch.args[0]", { launch: { args: [5] } }],
    ["agent.launch.env", { launch: { env: [] } }],
    ['agent.launch.policy_env["A"]', { launch: { policy_env: { A: 1 } } }],
    ["agent.launch.env", { launch: { env: { "1A": "x" } } }],
    ["agent.launch.env", { launch: { env: { buzz_acp_no_presence: "x" } } }],
    ["agent", { launch: { env: { A: "x".repeat(200_000) } } }],
    ["agent", { launch: { env: { A: "\0" } } }],
    ["provider_config.namespace", { config: { namespace: null } }],
    ["provider_config.image", { config: { image: "agent:latest" } }],
    ["provider_config.image", { config: { image: null } }],
    ["provider_config.cpu_request", { config: { cpu_request: "much" } }],
    ["provider_config.memory_request", { config: { memory_request: "5Gi" } }],
    ["provider_config.inactivity_seconds", { config: { inactivity_seconds: 0 } }],
    ["provider_config.service_account", { config: { service_account: "A" } }],
    ["provider_config.token", { config: { token: "x" } }],
    ["provider_config.colour", { config: { colour: "x" } }],
    ["provider_config.pod_options.volume", { config: { pod_options: { volume: "x" } } }],
    [
      "provider_config.pod_options.tolerations[0].effect",
      { config: { pod_options: { tolerations: [{ effect: "x" }] } } },
    ],
  ])("that is refused for %s never looks for a kubeconfig", async (field, changes) => {
    const error = await deploy(changes);
    expect(error.slice(0, error.indexOf(": "))).toBe(field);
    expect(error).not.toContain("no-kubeconfig");
  });

  it.each(["agent", "provider_config"])("needs an object for %s", async (part) => {
    for (const wrong of [5, "x", [], true])
      expect(await errorOf(bytesOf({ ...deployRequest(), [part]: wrong }))).toBe(`${part}: must be an object`);
    expect(await errorOf(bytesOf({ ...deployRequest(), [part]: null }))).toMatch(new RegExp(`^${part}.*: is required`));
  });

  it("with a secret in the wrong place does not show it", async () => {
    for (const changes of [
      { config: { image: secretKey } },
      { config: { namespace: secretKey } },
      { config: { context: secretKey } },
      { config: { [secretKey]: "x" } },
      { config: { inactivity_seconds: secretKey } },
      { launch: { command: `/${secretKey}` } },
      { launch: { env: { [`-${secretKey}`]: "x" } } },
      { agent: { respond_to: secretKey } },
      { launch: { env: { "1A": secretKey } } },
      { config: { image: `${image}:tag-of-the-owner` } },
    ] satisfies Changes[]) {
      const error = await deploy(changes);
      expect(error).not.toBe("");
      for (const secret of [secretKey, "tag-of-the-owner", "model-of-the-user"]) expect(error).not.toContain(secret);
    }
  });
});
