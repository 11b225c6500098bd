/** The help texts, made from the commands' data. */
import type { CommandSpec, FlagSpec } from "./command-spec.ts";
import { commands, commonFlags } from "./commands.ts";

const exitCodes = `Exit codes: 0 it is so, 1 fault, 2 wrong usage or declaration, 3 not confirmed before the deadline,
4 refused: a person or a change is needed, 5 the world moved: look again, 130 interrupted.`;

/** The text of `moorage --help`. */
export function overview(): string {
  const rows = commands.map(({ name, usage, summary }) => [`  ${name} ${usage}`, summary] as const);
  return `moorage starts exactly one of each long-running agent, and never kills one by accident.

Usage: moorage COMMAND [FLAGS]

${columns(rows)}

Two minutes:
  moorage init scribe     a working agent in this folder
  moorage deploy          starts exactly one, returns when it runs
  moorage deploy          "already running": nothing touched
  moorage stop scribe     lets the turn finish, then ends it

\`moorage COMMAND --help\` says more about one.
${exitCodes}
`;
}

/** The text of `moorage COMMAND --help`. */
export function commandHelp(spec: CommandSpec): string {
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
