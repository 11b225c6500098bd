/** The help texts, made from the commands' data. */
import type { CommandEntry, CommandGroup, CommandSpec, FlagSpec } from "./command-spec.ts";
import { isGroup, usageOf } from "./command-spec.ts";
import { commands } from "./commands.ts";
import { commonFlags } from "./flags.ts";

const exitCodes = `Exit codes: 0 it is so, 1 fault, 2 wrong usage or declaration, 3 not confirmed before the deadline,
4 refused: a person or a change is needed, 5 the world moved: look again, 130 interrupted.`;

/** The text of `moorage --help`. */
export function overview(): string {
  return `moorage starts exactly one of each long-running agent, and never kills one by accident.

Usage: moorage COMMAND [FLAGS]

${commandRows(commands)}

Two minutes:
  moorage init scribe     a working agent in this folder
  moorage deploy          starts exactly one, returns when it runs
  moorage deploy          "already running": nothing touched
  moorage stop scribe     lets the turn finish, then ends it

\`moorage COMMAND --help\` says more about one.
${exitCodes}
`;
}

/** The text of `moorage COMMAND --help`, and of `moorage GROUP --help`. */
export function helpOf(entry: CommandEntry): string {
  return isGroup(entry) ? groupHelp(entry) : commandHelp(entry);
}

function groupHelp({ name, summary, subcommands }: CommandGroup): string {
  return `moorage ${name}: ${summary}

Usage: moorage ${name} SUBCOMMAND [FLAGS]

${commandRows(subcommands)}

\`moorage ${name} SUBCOMMAND --help\` says more about one.
${exitCodes}
`;
}

function commandHelp(spec: CommandSpec): string {
  const also = spec.aliases.length === 0 ? "" : ` (also: ${spec.aliases.join(", ")})`;
  const examples = spec.examples.map(([command, meaning]) => [`  ${command}`, meaning] as const);
  const own = spec.flags.length === 0 ? "" : `\nFlags:\n${flagRows(spec.flags)}\n`;
  return `moorage ${spec.name}${also}: ${spec.summary}

Usage: ${`moorage ${spec.name} ${spec.usage}`.trimEnd()}
${own}
Common flags:
${flagRows(commonFlags)}
${examples.length === 0 ? "" : `\nExamples:\n${columns(examples)}\n`}
${exitCodes}
`;
}

function commandRows(entries: readonly CommandEntry[]): string {
  return columns(entries.map((entry) => [`  ${entry.name} ${usageOf(entry)}`, entry.summary]));
}

function flagRows(flags: readonly FlagSpec[]): string {
  return columns(
    flags.map(({ name, short, value, description }) => [
      `  ${short === undefined ? "    " : `-${short}, `}--${name}${value === undefined ? "" : ` ${value}`}`,
      description,
    ]),
  );
}

function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length)) + 2;
  return rows.map(([left, right]) => `${left.padEnd(width)}${right}`.trimEnd()).join("\n");
}
