/** What a request says of the agent itself: read field by field, checked before anything else happens. */
import { Fields, shown } from "./fields.ts";
import { Refused } from "./refused.ts";

/** How the agent is to be launched, resolved by the client. */
interface Launch {
  /** A name that the image's PATH finds. */
  readonly command: string | null;
  readonly args: readonly string[];
  readonly env: ReadonlyMap<string, string>;
  /** Where those stand in the request. */
  readonly envField: string;
  readonly policyEnv: ReadonlyMap<string, string>;
  readonly ownerPubkey: string | null;
}

export interface AgentFields {
  readonly relayUrl: string;
  readonly privateKey: string;
  readonly authTag: string | null;
  readonly launch: Launch;
  readonly respondTo: string | null;
  readonly respondToAllowlist: readonly string[];
}

const respondToModes = ["owner-only", "allowlist", "anyone", "nobody"] as const;
const pubkey = /^[0-9a-f]{64}$/;
/** What nobody looks at must not be in the way either. */
const harmless = /^[ -~]{0,100}$/;
const onRelay = "relay-mesh";

/**
 * `model`, `provider`, the timeouts and `parallelism` arrive resolved inside `launch`; what else a newer client may add says
 * nothing here. Throws `Refused`.
 */
export function readAgentFields(value: unknown): AgentFields {
  if (value === undefined || value === null) throw new Refused("agent", "is required");
  const agent = new Fields("agent", value);
  if (agent.trimmed("provider") === onRelay)
    throw new Refused(
      agent.at("provider"),
      `an agent of ${onRelay} runs on its relay and cannot run in a pod: choose another provider for it`,
    );
  const launch = readLaunch(agent);
  const authTag = agent.trimmed("auth_tag");
  if (authTag === null && launch.ownerPubkey === null)
    throw new Refused(
      agent.at("auth_tag"),
      "neither auth_tag nor launch.owner_pubkey is there: an agent without an owner obeys nobody who wants to stop it",
    );
  const respondTo = readRespondTo(agent);
  return {
    relayUrl: agent.trimmed("relay_url") ?? required(agent.at("relay_url"), "the agent would have no relay"),
    privateKey:
      agent.trimmed("private_key_nsec") ?? required(agent.at("private_key_nsec"), "it is the agent's identity"),
    authTag,
    launch,
    respondTo,
    respondToAllowlist: readAllowlist(agent, respondTo),
  };
}

/** The older form of a request has no `launch`, and its variables in `env_vars`; with a `launch` that field counts for nothing. */
function readLaunch(agent: Fields): Launch {
  const launch = agent.fields("launch");
  if (launch === null)
    return {
      command: null,
      args: [],
      env: agent.map("env_vars"),
      envField: agent.at("env_vars"),
      policyEnv: new Map(),
      ownerPubkey: null,
    };
  const command = launch.trimmed("command");
  if (command !== null && /[/\\]/.test(command))
    throw new Refused(launch.at("command"), "is a path: a name is wanted, which the image's PATH finds");
  return {
    command,
    args: launch.texts("args") ?? [],
    env: launch.map("env"),
    envField: launch.at("env"),
    policyEnv: launch.map("policy_env"),
    ownerPubkey: launch.trimmed("owner_pubkey"),
  };
}

/** Exactly one of the modes: the harness does not take white space around it for nothing. */
function readRespondTo(agent: Fields): string | null {
  const mode = agent.text("respond_to");
  if (mode !== null && !respondToModes.some((known) => known === mode))
    throw new Refused(agent.at("respond_to"), `${shown(mode)} is not known; there are ${respondToModes.join(", ")}`);
  return mode;
}

/** In the other modes nobody looks at the list: one that a person has left there stands in nobody's way. */
function readAllowlist(agent: Fields, respondTo: string | null): readonly string[] {
  const field = "respond_to_allowlist";
  if (respondTo !== "allowlist") {
    const left = agent.raw(field);
    return Array.isArray(left) ? left.filter((one) => typeof one === "string" && harmless.test(one)) : [];
  }
  const list = agent.texts(field) ?? [];
  if (list.length === 0)
    throw new Refused(agent.at(field), "is empty, and respond_to is allowlist: the agent would refuse to start");
  return list.map((entry, index) => {
    const key = entry.trim().toLowerCase();
    if (!pubkey.test(key))
      throw new Refused(`${agent.at(field)}[${index}]`, "is no public key: 64 hex digits are wanted");
    return key;
  });
}

function required(field: string, why: string): never {
  throw new Refused(field, `is required: ${why}`);
}
