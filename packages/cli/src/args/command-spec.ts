/** What one command is, as data: parsing, help and completion are all made from it. */
import type { Host } from "../host.ts";

export interface FlagSpec {
  readonly name: string;
  readonly short?: string;
  /** What stands for the value in help; absent: the flag has none. */
  readonly value?: string;
  readonly description: string;
  /** What completion offers for the value. */
  readonly complete?: "file" | "folder" | readonly string[];
}

/** What a command line asks for. */
export interface Invocation {
  /** With its group, such as `bundle build`. */
  readonly command: string;
  /** Words that are no flags. */
  readonly words: readonly string[];
  /** What stands behind `--`; null without one. */
  readonly rest: readonly string[] | null;
  readonly flags: Readonly<Record<string, string | true | undefined>>;
}

/** Carries a command out; resolves to the exit code. */
export type Run = (invocation: Invocation, host: Host) => Promise<number>;

export interface CommandSpec {
  /** With its group, such as `bundle build`. */
  readonly name: string;
  readonly aliases: readonly string[];
  readonly summary: string;
  /** The words after the name, as help shows them. */
  readonly usage: string;
  /** How many words it takes. */
  readonly words: readonly [least: number, most: number];
  /** What completion offers for a word. */
  readonly complete: "agents" | "none" | readonly string[];
  /** Whether `-- COMMAND…` may follow. */
  readonly takesCommand: boolean;
  readonly flags: readonly FlagSpec[];
  readonly examples: readonly (readonly [command: string, meaning: string])[];
  /** It is not there for agents on a cluster (yet). */
  readonly onThisMachineOnly?: true;
  /** Loads the command's own code, and nothing of the others'. */
  readonly load: () => Promise<Run>;
}

/** Commands that belong together: the second word says which. */
export interface CommandGroup {
  readonly name: string;
  readonly aliases: readonly [];
  readonly summary: string;
  readonly subcommands: readonly CommandSpec[];
  /** Which of them the group's name alone stands for, with flags or without; absent: none. */
  readonly alone?: CommandSpec;
}

export type CommandEntry = CommandSpec | CommandGroup;

export function isGroup(entry: CommandEntry): entry is CommandGroup {
  return "subcommands" in entry;
}

/** What is written after the group, such as `build`. */
export function lastWord({ name }: CommandSpec): string {
  return name.slice(name.indexOf(" ") + 1);
}

/** How the words after a name are shown. */
export function usageOf(entry: CommandEntry): string {
  return isGroup(entry) ? entry.subcommands.map(lastWord).join("|") : entry.usage;
}
