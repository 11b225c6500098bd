/** What a name, an environment key and a value may look like: one check each, for declarations and for arguments alike. */
import {
  agentNamePattern,
  catalogNamePattern,
  longestEntryBytes,
  longestEnvironmentBytes,
  variablePattern,
} from "@moorage/core";

/** Why it is refused, and what to write instead. */
export interface Fault {
  readonly message: string;
  readonly hint: string;
}

const nameHint = "use 1 to 63 of a-z, 0-9 and -, beginning and ending with a letter or digit";

function shown(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}

/** null when the text may name an agent or a fleet. */
export function nameFault(name: string): Fault | null {
  if (name === "") return { message: "the name is empty", hint: nameHint };
  if (name.length > 63) return { message: `${shown(name)} is ${name.length} characters long`, hint: nameHint };
  if (name === "self") return { message: '"self" means the agent that calls', hint: "choose another name" };
  if (new RegExp(agentNamePattern).test(name)) return null;
  const lower = name.toLowerCase();
  if (lower !== name && new RegExp(agentNamePattern).test(lower))
    return { message: `${shown(name)} has upper case letters`, hint: `write ${lower}` };
  const wrong = [...name].find((letter) => !/[a-z0-9-]/.test(letter));
  return {
    message: wrong === undefined ? `${shown(name)} begins or ends with -` : `${shown(name)} has ${shown(wrong)} in it`,
    hint: nameHint,
  };
}

/** null when a channel may have the catalog under this name. */
export function catalogNameFault(name: string): Fault | null {
  if (new RegExp(catalogNamePattern).test(name)) return null;
  const hint = "use 1 to 253 of a-z, 0-9, . and -, beginning and ending with a letter or digit";
  if (name === "") return { message: "the name is empty", hint };
  const lower = name.toLowerCase();
  return lower !== name && new RegExp(catalogNamePattern).test(lower)
    ? { message: `${shown(name)} has upper case letters`, hint: `write ${lower}` }
    : { message: `no catalog can be called ${shown(name)}`, hint };
}

/** null when an environment of ours may have this key. */
export function envKeyFault(key: string): Fault | null {
  if (!new RegExp(variablePattern).test(key))
    return {
      message: `${shown(key)} is not the name of an environment variable`,
      hint: "use letters, digits and _, not beginning with a digit",
    };
  if (key.startsWith("MOORAGE_"))
    return { message: `${key} is set by Moorage itself`, hint: "choose a name that does not begin with MOORAGE_" };
  return null;
}

/** null when `KEY=value` can be handed to a process. Never tells the value. */
export function envValueFault(key: string, value: string): Fault | null {
  if (value.includes("\0"))
    return { message: "the value has a NUL character in it", hint: "no process can be given one: remove it" };
  const bytes = Buffer.byteLength(key) + 1 + Buffer.byteLength(value);
  if (bytes > longestEntryBytes)
    return {
      message: `KEY=value is ${bytes} bytes long, and ${longestEntryBytes} is the most that a process can be given`,
      hint: "put the value into a file and hand over its path",
    };
  return null;
}

/** null when all entries together fit. */
export function environmentFault(entries: Iterable<readonly [string, string]>): Fault | null {
  let bytes = 0;
  for (const [key, value] of entries) bytes += Buffer.byteLength(key) + Buffer.byteLength(value) + 2;
  return bytes <= longestEnvironmentBytes
    ? null
    : {
        message: `the environment is ${bytes} bytes long, and ${longestEnvironmentBytes} is the most`,
        hint: "put large values into files and hand over their paths",
      };
}
