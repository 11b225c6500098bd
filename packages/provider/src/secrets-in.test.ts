import { describe, expect, it } from "vitest";
import type { Json } from "./fields.ts";
import { deployRequest, secretKey } from "./request.fixture.ts";
import { secretsIn } from "./secrets-in.ts";

describe("the secrets of a request", () => {
  it("are the key, the tag, and every value of every environment, used or not", () => {
    const request = deployRequest({
      agent: { env_vars: { OLD: "old-value" } },
      launch: { env: { A: "a-value" }, policy_env: { B: "b-value" } },
    });
    expect(secretsIn(request)).toEqual([secretKey, "tag-of-the-owner", "old-value", "a-value", "b-value"]);
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
