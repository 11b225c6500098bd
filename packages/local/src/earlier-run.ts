/** Whether a process of an earlier run lives that no record tells of any more, such as after an older copy of the database was put back. */
import { incarnationsOf, instancePaths } from "./instance-folder.ts";
import type { InstanceRow } from "./instance-row.ts";
import { outputHeld } from "./output-held.ts";

/** In words, with what to do; null: there is none. For who holds the supervisor's lock: nobody else reads these outputs then. */
export function livingEarlierRun(stateDir: string, { name, folder }: InstanceRow): string | null {
  for (const earlier of incarnationsOf(stateDir, name)) {
    const { stdout, stderr } = instancePaths(stateDir, { name, folder: earlier });
    const held = earlier === folder ? undefined : [stdout, stderr].find((output) => outputHeld([output]) === true);
    if (held !== undefined)
      return `a process of an earlier run, of which no record tells any more, still writes to ${held}: end it (\`lsof ${held}\` names it), then deploy again`;
  }
  return null;
}
