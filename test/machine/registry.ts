/** Takes away what a test's agents leave in the user's registry of identities, which lies outside of every state directory. */
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";

const directory = join(userInfo().homedir, ".local", "state", "moorage-identities");

/** Everything there that belongs to a state directory below the folder. */
export function forgetRegistered(folder: string): void {
  for (const name of names())
    if (belongs(join(directory, name), name, folder)) rmSync(join(directory, name), { force: true });
}

/** What is there of an agent with a key, by the name of its instance. */
export function forgetKey(agentId: string): void {
  const begin = `key-${agentId.replace(/^moorage-/, "")}`;
  for (const name of names()) if (name.startsWith(begin)) rmSync(join(directory, name), { force: true });
}

function names(): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function belongs(path: string, name: string, folder: string): boolean {
  const [, encoded] = /^name-[0-9a-f]{64}-([\w-]+)\.(?:lock|json)$/.exec(name) ?? [];
  // The end of the encoded path: its beginning may be cut off.
  if (encoded !== undefined)
    return [0, 1, 2, 3].some((skip) =>
      Buffer.from(encoded.slice(skip), "base64url").toString().includes(folder.slice(-8)),
    );
  try {
    return name.endsWith(".json") && readFileSync(path, "utf8").includes(folder);
  } catch {
    return false;
  }
}
