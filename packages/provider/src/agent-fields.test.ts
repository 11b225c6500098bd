import { describe, expect, it } from "vitest";
import { readAgentFields } from "./agent-fields.ts";
import { type Changes, deployRequest, refusalOf } from "./request.fixture.ts";

const read = (changes: Changes) => readAgentFields(deployRequest(changes)["agent"]);

const refusal = (changes: Changes): string => refusalOf(deployRequest(changes), () => read(changes));

describe("the owner", () => {
  it.each([null, "", "  "])("needs a tag or a key, and %j is neither", (nothing) => {
    expect(refusal({ agent: { auth_tag: nothing }, launch: { owner_pubkey: nothing } })).toContain(
      "agent.auth_tag: neither",
    );
    expect(refusal({ agent: { auth_tag: nothing } })).toBe("");
    expect(refusal({ launch: { owner_pubkey: nothing } })).toBe("");
    expect(refusal({ agent: { auth_tag: nothing }, launch: null })).toContain("agent.auth_tag: neither");
  });
});

describe("what has to be there", () => {
  it.each(["relay_url", "private_key_nsec"])("%s", (field) => {
    for (const nothing of [null, "", " \n"])
      expect(refusal({ agent: { [field]: nothing } })).toContain(`agent.${field}: is required`);
    for (const wrong of [5, true, [], {}])
      expect(refusal({ agent: { [field]: wrong } })).toContain(`agent.${field}: must be a text`);
  });
});

it.each(["relay-mesh", "  relay-mesh\t"])(
  "an agent of the relay's own computers (%j) cannot run in a pod",
  (provider) => {
    expect(refusal({ agent: { provider } })).toContain("agent.provider");
    expect(refusal({ agent: { provider: "relay-mesh-2" } })).toBe("");
  },
);

describe("whom it responds to", () => {
  it.each(["owner-only", "anyone", "nobody"])("%s, and nobody looks at the list", (mode) => {
    for (const list of [null, [], ["no key"], "no list", 5, { a: 1 }])
      expect(read({ agent: { respond_to: mode, respond_to_allowlist: list } }).respondTo).toBe(mode);
  });

  it("a list that waits for another mode is handed on as it is", () => {
    const list = ["no key", " ABC ", 5, null, "x"];
    for (const mode of ["anyone", null])
      expect(read({ agent: { respond_to: mode, respond_to_allowlist: list } }).respondToAllowlist).toEqual([
        "no key",
        " ABC ",
        "x",
      ]);
  });

  it.each([" allowlist", "anyone ", "Owner-Only", "everybody", "owner_only"])("not %j", (mode) => {
    expect(refusal({ agent: { respond_to: mode } })).toContain("agent.respond_to");
  });

  it("a mode that is no text", () => {
    expect(refusal({ agent: { respond_to: ["anyone"] } })).toContain("agent.respond_to: must be a text");
  });

  it.each([null, [], "", "  "])("an allowlist of %j is empty", (list) => {
    expect(refusal({ agent: { respond_to: "allowlist", respond_to_allowlist: list } })).toContain("is empty");
  });

  it("an allowlist has public keys", () => {
    const key = "0123456789abcdef".repeat(4);
    const list = [` ${key.toUpperCase()}\n`, key];
    expect(read({ agent: { respond_to: "allowlist", respond_to_allowlist: list } }).respondToAllowlist).toEqual([
      key,
      key,
    ]);
    for (const wrong of [key.slice(1), `${key}0`, `g${key.slice(1)}`, "", "npub1x", 5, null])
      expect(refusal({ agent: { respond_to: "allowlist", respond_to_allowlist: [key, wrong] } })).toContain(
        "respond_to_allowlist[1]",
      );
  });
});

describe("the launch", () => {
  it.each(["/usr/bin/goose", "./goose", "bin/goose", "C:\\goose"])("is by a name, and %j is a path", (command) => {
    expect(refusal({ launch: { command } })).toContain("agent.launch.command");
  });

  it("has texts for arguments", () => {
    expect(refusal({ launch: { args: "acp" } })).toBe("agent.launch.args: must be a list, and is a text");
    expect(refusal({ launch: { args: ["acp", 5] } })).toBe("agent.launch.args[1]: must be a text, and is a number");
    expect(read({ launch: { args: null, command: " goose " } }).launch).toMatchObject({ args: [], command: "goose" });
  });

  it("is an object", () => {
    expect(refusal({ agent: { launch: "goose" } })).toBe("agent.launch: must be an object");
    expect(refusal({ agent: { launch: [] } })).toBe("agent.launch: must be an object");
  });
});

it("what a newer client says beside it is passed over", () => {
  expect(read({ agent: { novelty: { a: 1 } }, launch: { novelty: [1] } })).toEqual(read({}));
});
