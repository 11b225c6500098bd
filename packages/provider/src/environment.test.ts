import { describe, expect, it } from "vitest";
import { readDeployRequest } from "./deploy-request.ts";
import { environmentOf } from "./environment.ts";
import { type Changes, deployRequest, refusalOf, secretKey } from "./request.fixture.ts";

function environment(changes: Changes = {}): Readonly<Record<string, string>> {
  const { agent, config } = readDeployRequest(deployRequest(changes));
  return Object.fromEntries(environmentOf(agent, config.inactivitySeconds));
}

const refusal = (changes: Changes): string => refusalOf(deployRequest(changes), () => environment(changes));

const owned = [
  "BUZZ_RELAY_URL",
  "BUZZ_PRIVATE_KEY",
  "NOSTR_PRIVATE_KEY",
  "BUZZ_AUTH_TAG",
  "BUZZ_ACP_AGENT_OWNER",
  "BUZZ_ACP_AGENT_COMMAND",
  "BUZZ_ACP_AGENT_ARGS",
  "BUZZ_ACP_RESPOND_TO",
  "BUZZ_ACP_RESPOND_TO_ALLOWLIST",
  "BUZZ_ACP_MCP_COMMAND",
  "BUZZ_ACP_EXIT_AFTER_INACTIVITY",
  "BUZZ_MANAGED_AGENT_START_NONCE",
  "BUZZ_ACP_MCP_SERVERS_FILE",
  "HOME",
] as const;
const forged = Object.fromEntries(owned.map((key) => [key, "forged"]));

describe("the three tiers", () => {
  it("come to exactly what the contract names", () => {
    const keys = ["A".repeat(64), ` ${"c".repeat(64)} `];
    const agent = { relay_url: "  wss://relay.example ", respond_to: "allowlist", respond_to_allowlist: keys };
    expect(environment({ agent, launch: { args: ["acp", "--now"] }, config: { inactivity_seconds: 60 } })).toEqual({
      GOOSE_MODE: "automatic",
      GOOSE_MODEL: "model-of-the-user",
      BUZZ_RELAY_URL: "wss://relay.example",
      BUZZ_PRIVATE_KEY: secretKey,
      NOSTR_PRIVATE_KEY: secretKey,
      BUZZ_AUTH_TAG: "tag-of-the-owner",
      BUZZ_ACP_AGENT_OWNER: "b".repeat(64),
      BUZZ_ACP_AGENT_COMMAND: "goose",
      BUZZ_ACP_AGENT_ARGS: "acp,--now",
      BUZZ_ACP_RESPOND_TO: "allowlist",
      BUZZ_ACP_RESPOND_TO_ALLOWLIST: `${"a".repeat(64)},${"c".repeat(64)}`,
      BUZZ_ACP_MCP_COMMAND: "buzz-dev-mcp",
      BUZZ_ACP_EXIT_AFTER_INACTIVITY: "60",
    });
  });

  it("the later wins", () => {
    const launch = { policy_env: { A: "1", B: "1" }, env: { B: "2", BUZZ_RELAY_URL: "wss://elsewhere" } };
    expect(environment({ launch })).toMatchObject({ A: "1", B: "2", BUZZ_RELAY_URL: "wss://relay.example" });
  });

  it.each(["policy_env", "env"])("no key of the last tier comes out of %s", (tier) => {
    const values = environment({ launch: { [tier]: forged } });
    expect(Object.values(values)).not.toContain("forged");
  });

  it("a key of the last tier without a value is absent, whatever the others say", () => {
    const launch = { command: null, args: [], owner_pubkey: " ", env: forged, policy_env: forged };
    const values = environment({ launch, agent: { respond_to: null } });
    expect(owned.filter((key) => Object.hasOwn(values, key))).toEqual([
      "BUZZ_RELAY_URL",
      "BUZZ_PRIVATE_KEY",
      "NOSTR_PRIVATE_KEY",
      "BUZZ_AUTH_TAG",
      "BUZZ_ACP_MCP_COMMAND",
      "BUZZ_ACP_EXIT_AFTER_INACTIVITY",
    ]);
  });

  it("what is resolved inside launch is not taken from the fields beside it", () => {
    const agent = {
      model: "m-1",
      provider: "p-1",
      system_prompt: "prompt-1",
      agent_command: "other-command",
      agent_args: ["other-argument"],
      turn_timeout_seconds: 111,
      idle_timeout_seconds: 222,
      max_turn_duration_seconds: 333,
      parallelism: 444,
      env_vars: { LEGACY: "1" },
    };
    expect(environment({ agent })).toEqual(environment());
  });

  it("nobody looks at env_vars beside a launch, whatever is in it", () => {
    for (const env_vars of [{ BUZZ_ACP_NO_PRESENCE: "1" }, { "1A": "x" }, { A: "\0" }, { A: 5 }, [], 5, "x"])
      expect(environment({ agent: { env_vars } })).toEqual(environment());
  });

  it("a launch that is null or blank is none, and an empty one is one", () => {
    const agent = { env_vars: { LEGACY: "1" } };
    for (const none of [null, "", " "])
      expect(environment({ agent: { ...agent, launch: none } })).toMatchObject({ LEGACY: "1" });
    expect(environment({ agent: { ...agent, launch: {} } })).not.toHaveProperty("LEGACY");
  });

  it("a request without launch has env_vars, and no command of its own", () => {
    const agent = {
      env_vars: { LEGACY: "1", BUZZ_PRIVATE_KEY: "forged" },
      agent_command: "goose",
      agent_args: ["acp"],
    };
    expect(environment({ launch: null, agent })).toEqual({
      LEGACY: "1",
      BUZZ_RELAY_URL: "wss://relay.example",
      BUZZ_PRIVATE_KEY: secretKey,
      NOSTR_PRIVATE_KEY: secretKey,
      BUZZ_AUTH_TAG: "tag-of-the-owner",
      BUZZ_ACP_MCP_COMMAND: "buzz-dev-mcp",
      BUZZ_ACP_EXIT_AFTER_INACTIVITY: "7200",
    });
  });

  it("names that objects have by nature are variables like others", () => {
    const env = JSON.parse('{"__proto__": "1", "constructor": "2", "toString": "3", "EMPTY": ""}') as object;
    const values = environment({ launch: { env } });
    expect(Object.entries(values)).toEqual(
      expect.arrayContaining([
        ["__proto__", "1"],
        ["constructor", "2"],
        ["toString", "3"],
        ["EMPTY", ""],
      ]),
    );
  });
});

describe("what no pod can be given is refused, by its key and never by its value", () => {
  const hidden = "value-that-nobody-may-see";

  it.each(["1A", "A-B", "A.B", "A=B", "", " A", "Ä"])("the key %j", (key) => {
    for (const tier of ["env", "policy_env"]) {
      const message = refusal({ launch: { [tier]: { [key]: hidden } } });
      expect(message).toContain("is not the name of an environment variable");
      expect(message).not.toContain(hidden);
    }
    expect(refusal({ launch: null, agent: { env_vars: { [key]: hidden } } })).toContain("environment variable");
  });

  it.each(["BUZZ_ACP_NO_PRESENCE", "buzz_acp_no_presence", "Buzz_Acp_No_Presence"])("%s", (key) => {
    expect(refusal({ launch: { env: { [key]: "" } } })).toContain("must not be set");
    expect(refusal({ launch: { policy_env: { [key]: "1" } } })).toContain("must not be set");
    expect(refusal({ launch: null, agent: { env_vars: { [key]: "1" } } })).toContain("must not be set");
  });

  it("a NUL, a value that no process can be given, and more than a Secret holds", () => {
    expect(refusal({ launch: { env: { A: `${hidden}\0` } } })).toBe("agent: the value of A has a NUL character in it");
    expect(refusal({ launch: { env: { A: "x".repeat(131_070) } } })).toContain("A is 131072 bytes long");
    expect(refusal({ launch: { env: { A: "x".repeat(131_069) } } })).toBe("");
    expect(refusal({ launch: { env: { A: "ä".repeat(70_000) } } })).toContain("140002 bytes");
    const many = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`A${index}`, "x".repeat(120_000)]));
    expect(refusal({ launch: { env: many } })).toContain("1048576 is the most");
    expect(refusal({ launch: { env: { A: "x".repeat(2_000_000) } } })).not.toBe("");
  });

  it("a key that a Secret cannot hold", () => {
    const key = "K".repeat(253);
    expect(environment({ launch: { env: { [key]: "1" } } })).toHaveProperty(key);
    for (const tier of ["env", "policy_env"])
      expect(refusal({ launch: { [tier]: { [`${key}K`]: "1" } } })).toContain(
        "254 characters long, and 253 is the most",
      );
  });

  it("half of a character, which would become another one on its way", () => {
    for (const half of ["\ud83d", "\ude00", "a\ud83db", "\ude00\ud83d"]) {
      expect(refusal({ launch: { env: { A: half } } })).toBe("agent: the value of A has half of a character in it");
      expect(refusal({ agent: { auth_tag: `tag-${half}` } })).toContain("agent.auth_tag: has half of a character");
    }
    expect(environment({ launch: { env: { A: "\ud83d\ude00" } } })).toMatchObject({ A: "😀" });
  });

  it("a Secret is filled to the last byte, the attempt's token included", () => {
    const before = Object.values(environment({ launch: { env: {} } })).reduce(
      (total, value) => total + Buffer.byteLength(value),
      0,
    );
    const filled = (bytes: number): Changes => {
      const pieces = Array.from({ length: Math.ceil(bytes / 120_000) }, (_, at) =>
        Math.min(120_000, bytes - at * 120_000),
      );
      return { launch: { env: Object.fromEntries(pieces.map((length, at) => [`A${at}`, "x".repeat(length)])) } };
    };
    const left = 1024 * 1024 - before - "01234567".length;
    expect(refusal(filled(left))).toBe("");
    expect(refusal(filled(left + 1))).toBe(
      "agent: its environment is 1048577 bytes long, and 1048576 is the most that a Secret can hold",
    );
  });

  it("a list and a number in the place of a text", () => {
    expect(refusal({ launch: { env: { A: 5 } } })).toBe('agent.launch.env["A"]: must be a text, and is a number');
    expect(refusal({ launch: { env: ["A=5"] } })).toBe("agent.launch.env: must be an object");
    expect(refusal({ launch: { env: { A: null } } })).toBe("");
  });
});

describe("what is refused is told by its field", () => {
  it("in each of the places where variables stand", () => {
    const wrong = { "A=value-that-nobody-may-see": "x" };
    const told = '"A=…" is not the name of an environment variable';
    expect(refusal({ launch: { env: wrong } })).toContain(`agent.launch.env: ${told}`);
    expect(refusal({ launch: { policy_env: wrong } })).toContain(`agent.launch.policy_env: ${told}`);
    expect(refusal({ launch: null, agent: { env_vars: wrong } })).toContain(`agent.env_vars: ${told}`);
  });

  it("a value over a megabyte that a later tier hides as well", () => {
    const long = "x".repeat(1024 * 1024 + 1);
    expect(refusal({ launch: { policy_env: { A: long }, env: { A: "y" } } })).toContain(
      "agent.launch.policy_env: the value of A",
    );
    expect(refusal({ launch: { env: { BUZZ_PRIVATE_KEY: long } } })).toContain(
      "agent.launch.env: the value of BUZZ_PRIVATE_KEY",
    );
  });

  it("but for a list that nobody looks at, whatever is in it", () => {
    for (const list of [["\0"], ["x".repeat(200_000)], ["\ud83d"], [5]]) {
      const agent = { respond_to: "nobody", respond_to_allowlist: list };
      expect(environment({ agent })).not.toHaveProperty("BUZZ_ACP_RESPOND_TO_ALLOWLIST");
    }
    expect(environment({ agent: { respond_to: "nobody", respond_to_allowlist: ["a", "b"] } })).toMatchObject({
      BUZZ_ACP_RESPOND_TO_ALLOWLIST: "a,b",
    });
  });
});
