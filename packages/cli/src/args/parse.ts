/** A command line to what it asks for, by the command's own data; every word that is not understood is refused. */
import { parseArgs } from "node:util";
import type { CliError } from "../errors/cli-error.ts";
import { usageError } from "../errors/cli-error.ts";
import { didYouMean } from "../text/did-you-mean.ts";
import type { CommandEntry, CommandGroup, CommandSpec, FlagSpec, Invocation } from "./command-spec.ts";
import { isGroup, lastWord } from "./command-spec.ts";
import { commands, findCommand, runnable } from "./commands.ts";
import { commonFlags } from "./flags.ts";

export type Parsed =
  | { readonly kind: "run"; readonly spec: CommandSpec; readonly invocation: Invocation }
  | { readonly kind: "help"; readonly spec: CommandEntry | null }
  | { readonly kind: "version" };

/** Parses the words after the program's name. Throws `usage`, exit 2. */
export function parseCommandLine(argv: readonly string[]): Parsed {
  const [first, ...others] = argv;
  if (first === undefined || first === "--help" || first === "-h") return { kind: "help", spec: null };
  if (first === "--version" || first === "-V") return { kind: "version" };
  if (first === "help") return { kind: "help", spec: helpAbout(others) };
  if (first.startsWith("-")) throw flagFirst(first);
  const entry = commandNamed(first);
  return isGroup(entry) ? parseGroup(entry, others) : parseCommand(entry, others);
}

function helpAbout([name, word]: readonly string[]): CommandEntry | null {
  if (name === undefined) return null;
  const entry = commandNamed(name);
  return isGroup(entry) && word !== undefined ? subcommandNamed(entry, word) : entry;
}

function parseGroup(group: CommandGroup, [word, ...args]: readonly string[]): Parsed {
  if (word === "--help" || word === "-h") return { kind: "help", spec: group };
  const { alone } = group;
  if (alone !== undefined && (word === undefined || word.startsWith("-")))
    return parseCommand(alone, word === undefined ? [] : [word, ...args]);
  const known = group.subcommands.map(lastWord);
  if (word === undefined)
    throw usageError(`${group.name} needs one of: ${known.join(", ")}`, `run \`moorage ${group.name} --help\``);
  if (word.startsWith("-"))
    throw usageError(
      `${word} stands before what ${group.name} is to do`,
      `write one of ${known.join(", ")} first, such as \`moorage ${group.name} ${known[0] ?? ""} ${word}\``,
    );
  return parseCommand(subcommandNamed(group, word), args);
}

function subcommandNamed(group: CommandGroup, word: string): CommandSpec {
  const spec = group.subcommands.find((one) => lastWord(one) === word);
  if (spec !== undefined) return spec;
  const known = group.subcommands.map(lastWord);
  const meant = didYouMean(word, known);
  throw usageError(
    `there is no ${group.name} ${word}`,
    meant === undefined ? `there are: ${known.join(", ")}` : `did you mean \`moorage ${group.name} ${meant}\`?`,
  );
}

/** A flag that some command has is only in the wrong place; any other is none at all. */
function flagFirst(raw: string): CliError {
  const word = raw.replace(/^-+/, "").replace(/=.*$/, "");
  const has = ({ name, short }: FlagSpec): boolean => (raw.startsWith("--") ? name === word : short === word);
  const spec = commonFlags.some(has) ? findCommand("status") : runnable.find(({ flags }) => flags.some(has));
  if (spec !== undefined)
    return usageError(
      `${raw} stands before the command`,
      `write the command first, such as \`moorage ${spec.name} ${raw}\``,
    );
  const hint = raw === "-v" ? "`moorage --version` prints the version" : "`moorage --help` lists the commands";
  return usageError(`there is no flag ${raw}`, hint);
}

function commandNamed(name: string): CommandEntry {
  const spec = findCommand(name);
  if (spec !== undefined) return spec;
  const meant = didYouMean(
    name,
    commands.flatMap((command) => [command.name, ...command.aliases]),
  );
  const hint = meant === undefined ? "`moorage --help` lists the commands" : `did you mean \`moorage ${meant}\`?`;
  throw usageError(`there is no command ${name}`, hint);
}

function parseCommand(spec: CommandSpec, args: readonly string[]): Parsed {
  const end = args.indexOf("--");
  const own = end === -1 ? args : args.slice(0, end);
  const rest = end === -1 ? null : args.slice(end + 1);
  if (rest !== null && !spec.takesCommand)
    throw usageError(`${spec.name} takes nothing after --`, `run \`moorage ${spec.name} --help\``);
  const flags = [...spec.flags, ...commonFlags];
  const { values, positionals } = split(spec, own, flags);
  if (values["help"] === true) return { kind: "help", spec };
  const words = positionals.length;
  if (words < spec.words[0])
    throw usageError(`${spec.name} needs ${spec.usage}`, `run \`moorage ${spec.name} --help\``);
  if (words > spec.words[1])
    throw usageError(
      `${spec.name} takes ${spec.words[1] === 0 ? "no words" : `at most ${spec.words[1]}`}, and ${words} are there`,
      `run \`moorage ${spec.name} --help\``,
    );
  return { kind: "run", spec, invocation: { command: spec.name, words: positionals, rest, flags: values } };
}

function split(
  spec: CommandSpec,
  args: readonly string[],
  flags: readonly FlagSpec[],
): { values: Record<string, string | true | undefined>; positionals: string[] } {
  const options = Object.fromEntries(
    flags.map(({ name, short, value }) => [
      name,
      {
        type: value === undefined ? ("boolean" as const) : ("string" as const),
        ...(short === undefined ? {} : { short }),
      },
    ]),
  );
  const { tokens } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true });
  const values: Record<string, string | true | undefined> = {};
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") positionals.push(token.value);
    if (token.kind !== "option") continue;
    const flag = flags.find(({ name }) => name === token.name);
    if (flag === undefined) throw unknownFlag(spec, token.rawName, flags);
    values[flag.name] = valueOf(spec, flag, token.rawName, token.value, token.inlineValue === true);
  }
  return { values, positionals };
}

function valueOf(
  spec: CommandSpec,
  flag: FlagSpec,
  raw: string,
  value: string | undefined,
  inline: boolean,
): string | true {
  if (flag.value === undefined) {
    if (value === undefined) return true;
    throw usageError(`${raw} takes no value`, `write ${raw} alone`);
  }
  if (value === undefined || value === "" || (!inline && value.startsWith("--")))
    throw usageError(`${raw} needs a value`, `write ${raw} ${flag.value}; \`moorage ${spec.name} --help\` says more`);
  return value;
}

function unknownFlag(spec: CommandSpec, raw: string, flags: readonly FlagSpec[]): CliError {
  const meant = didYouMean(
    raw.replace(/^-+/, ""),
    flags.map(({ name }) => name),
  );
  const hint = meant === undefined ? `run \`moorage ${spec.name} --help\`` : `did you mean --${meant}?`;
  return usageError(`${spec.name} has no flag ${raw}`, hint);
}
