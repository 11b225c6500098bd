/** Every value of a request that may be a secret, found before the request is judged: a refusal must not hold one either. */
import { longestEntryBytes } from "@moorage/core";
import { isObject, type Json } from "./fields.ts";

/** No agent can be given a longer value, and no refusal shows one: to know all its forms would take a minute. */
const longestValue: number = longestEntryBytes + 1;
/** An argument is often a word like others, which has to stay readable. */
const shortestArgument = 8;

/** The key, the tag, the relay's address, arguments, and the values of every environment. */
export function secretsIn(request: Json): string[] {
  const agent = within(request, "agent");
  const launch = within(agent, "launch");
  const key = agent["private_key_nsec"];
  const texts = [key, agent["auth_tag"], agent["relay_url"]];
  const environments = [agent["env_vars"], launch["env"], launch["policy_env"]];
  return [...texts, ...inOtherCase(key), ...argumentsOf(launch["args"]), ...environments.flatMap(valuesOf)]
    .filter((one) => typeof one === "string")
    .filter(({ length }) => length <= longestValue)
    .flatMap(withTrimmed);
}

/** A key is the same in either. */
function inOtherCase(key: unknown): string[] {
  return typeof key === "string" ? [key.toLowerCase(), key.toUpperCase()] : [];
}

/** Each, and as they are handed on. */
function argumentsOf(args: unknown): unknown[] {
  if (!Array.isArray(args)) return [];
  return [...args, args.join(",")].filter((one) => typeof one === "string" && one.length >= shortestArgument);
}

function within(fields: Json, name: string): Json {
  const value = fields[name];
  return isObject(value) ? value : {};
}

function valuesOf(environment: unknown): unknown[] {
  return isObject(environment) ? Object.values(environment) : [];
}

function withTrimmed(text: string): string[] {
  const trimmed = text.trim();
  return trimmed === text ? [text] : [text, trimmed];
}
