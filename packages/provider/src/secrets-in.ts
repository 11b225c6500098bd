/** Every value of a request that may be a secret, found before the request is judged: a refusal must not hold one either. */
import { isObject, type Json } from "./fields.ts";

/** The keys, the tag, and the values of every environment. */
export function secretsIn(request: Json): string[] {
  const agent = within(request, "agent");
  const launch = within(agent, "launch");
  const texts = [agent["private_key_nsec"], agent["auth_tag"]];
  const environments = [agent["env_vars"], launch["env"], launch["policy_env"]];
  return [...texts, ...environments.flatMap(valuesOf)].filter((one) => typeof one === "string").flatMap(withTrimmed);
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
