import { describe, expect, it } from "vitest";
import type { Json } from "./fields.ts";
import { deployRequest, secretKey } from "./request.fixture.ts";
import { secretsIn } from "./secrets-in.ts";

describe("the secrets of a request", () => {
  it("are the key, the tag, the relay's address, and every value of every environment, used or not", () => {
    const request = deployRequest({
      agent: { env_vars: { OLD: "old-value" } },
      launch: { env: { A: "a-value" }, policy_env: { B: "b-value" } },
    });
    expect(new Set(secretsIn(request))).toEqual(
      new Set([secretKey, "tag-of-the-owner", "wss://relay.example", "old-value", "a-value", "b-value"]),
    );
  });

  it("are arguments that are no common words, one by one and as they are handed on", () => {
    const launch = { args: ["--token", "hunter2-hunter2", 5, "run"], env: {}, policy_env: {} };
    expect(secretsIn({ agent: { launch } })).toEqual(["hunter2-hunter2", "--token,hunter2-hunter2,5,run"]);
  });

  it("are a key in capitals and in small letters", () => {
    const key = "aB".repeat(32);
    expect(secretsIn({ agent: { private_key_nsec: key } })).toEqual([key, "ab".repeat(32), "AB".repeat(32)]);
  });

  it("are not longer than what an agent can be given: such a request is refused without showing it", () => {
    expect(secretsIn({ agent: { launch: { env: { A: "x".repeat(131_073), B: "y".repeat(131_072) } } } })).toHaveLength(
      1,
    );
  });

  it("are known with and without the white space around them", () => {
    expect(secretsIn({ agent: { auth_tag: " tag \n" } })).toEqual([" tag \n", "tag"]);
  });

  it("are found in a request that is wrong everywhere else, and nothing is taken from a prototype", () => {
    const inherited = JSON.parse('{"__proto__":{"agent":{"auth_tag":"inherited"}}}') as Json;
    for (const nothing of [{}, { agent: null }, { agent: [] }, { agent: "x" }, inherited])
      expect(secretsIn(nothing)).toEqual([]);
    expect(
      secretsIn({
        agent: {
          private_key_nsec: 5,
          auth_tag: ["x"],
          env_vars: ["not-by-a-key"],
          launch: { env: { A: 1, B: null, C: "c-value" }, policy_env: "x" },
        },
      }),
    ).toEqual(["c-value"]);
  });
});
