/** The environment of an agent: three tiers, of which the later wins, and the last owns its keys whether it has a value for them or not. */
import { longestEntryBytes, longestEnvironmentBytes, variablePattern } from "@moorage/core";
import type { AgentFields } from "./agent-fields.ts";
import { buzzProfile, startNonce } from "./buzz-profile.ts";
import { shown } from "./fields.ts";
import { Refused } from "./refused.ts";

/** What a Secret takes for a key (Kubernetes, DNS1123SubdomainMaxLength). */
const longestKey = 253;

const posixName = new RegExp(variablePattern);
/** Presence is all that tells a client that an agent lives: nobody may take it away. */
const noPresence = "BUZZ_ACP_NO_PRESENCE";
/** Which file of a desktop is meant means nothing in a pod, and a key without a value takes a lower tier's away. */
const mcpServersFile = "BUZZ_ACP_MCP_SERVERS_FILE";
/** Resolved in the image. */
const mcpCommand = "buzz-dev-mcp";

/**
 * By variable, without the attempt's token, which is drawn later. Throws `Refused` for a key or value that no pod can be
 * given, wherever it comes from.
 */
export function environmentOf(agent: AgentFields, inactivitySeconds: number): ReadonlyMap<string, string> {
  const { launch } = agent;
  const lower = new Map([...launch.policyEnv, ...launch.env]);
  checkTier("agent.launch.policy_env", launch.policyEnv);
  checkTier(launch.envField, launch.env);
  const owned = authoritative(agent, inactivitySeconds);
  const environment = new Map([...lower].filter(([key]) => !owned.has(key)));
  for (const [key, value] of owned) if (value !== null) environment.set(key, value);
  checkValues(environment);
  return environment;
}

/** Every key that the last tier owns; null: it is absent, whatever the others say. */
function authoritative(agent: AgentFields, inactivitySeconds: number): ReadonlyMap<string, string | null> {
  const { launch, respondToAllowlist: allowlist } = agent;
  return new Map<string, string | null>([
    ["BUZZ_RELAY_URL", agent.relayUrl],
    ["BUZZ_PRIVATE_KEY", agent.privateKey],
    ["NOSTR_PRIVATE_KEY", agent.privateKey],
    ["BUZZ_AUTH_TAG", agent.authTag],
    ["BUZZ_ACP_AGENT_OWNER", launch.ownerPubkey],
    ["BUZZ_ACP_AGENT_COMMAND", launch.command],
    ["BUZZ_ACP_AGENT_ARGS", joined(launch.args)],
    ["BUZZ_ACP_RESPOND_TO", agent.respondTo],
    ["BUZZ_ACP_RESPOND_TO_ALLOWLIST", joined(allowlist)],
    ["BUZZ_ACP_MCP_COMMAND", mcpCommand],
    ["BUZZ_ACP_EXIT_AFTER_INACTIVITY", String(inactivitySeconds)],
    [startNonce, null],
    [mcpServersFile, null],
    // The pod's own, which is the workspace: a home on the client's machine leads nowhere there.
    ["HOME", null],
  ]);
}

/** As the harness takes them apart again. */
function joined(texts: readonly string[]): string | null {
  return texts.length === 0 ? null : texts.join(",");
}

/** Also what a later tier hides: whoever wrote it means something by it. */
function checkTier(field: string, tier: ReadonlyMap<string, string>): void {
  for (const [key, value] of tier) {
    checkKey(field, key);
    if (value.length > longestEnvironmentBytes)
      throw new Refused(field, `the value of ${key} is more than ${longestEnvironmentBytes} bytes long`);
  }
}

function checkKey(field: string, key: string): void {
  if (!posixName.test(key))
    throw new Refused(
      field,
      // What comes after the sign is a value.
      `${shown(key.replace(/=.*/s, "=…"))} is not the name of an environment variable: use letters, digits and _, not beginning with a digit`,
    );
  if (key.length > longestKey)
    throw new Refused(
      field,
      `the name of a variable is ${key.length} characters long, and ${longestKey} is the most that a Secret can hold`,
    );
  if (key.toUpperCase() === noPresence)
    throw new Refused(field, `${key} must not be set: presence is all that tells that an agent elsewhere is alive`);
}

/** A value is never told. */
function checkValues(environment: ReadonlyMap<string, string>): void {
  // The attempt's token goes with them.
  let total = buzzProfile.attemptDigits;
  for (const [key, value] of environment) {
    if (value.includes("\0")) throw new Refused("agent", `the value of ${key} has a NUL character in it`);
    // On its way it would silently become another one.
    if (!value.isWellFormed()) throw new Refused("agent", `the value of ${key} has half of a character in it`);
    const bytes = Buffer.byteLength(value);
    total += bytes;
    const entry = key.length + 1 + bytes;
    if (entry > longestEntryBytes)
      throw new Refused(
        "agent",
        `${key} is ${entry} bytes long with its value, and ${longestEntryBytes} is the most that a process can be given`,
      );
  }
  if (total > longestEnvironmentBytes)
    throw new Refused(
      "agent",
      `its environment is ${total} bytes long, and ${longestEnvironmentBytes} is the most that a Secret can hold`,
    );
}
