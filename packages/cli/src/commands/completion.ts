/** `moorage completion`: scripts that complete commands, flags and the names of agents. */
import type { CommandEntry, CommandGroup, CommandSpec, Run } from "../args/command-spec.ts";
import { isGroup, lastWord } from "../args/command-spec.ts";
import { commands, runnable } from "../args/commands.ts";
import { commonFlags } from "../args/flags.ts";
import { usageError } from "../errors/cli-error.ts";

export const completion: Run = (invocation, host) => {
  const [shell = ""] = invocation.words;
  const scripts: Readonly<Record<string, () => string>> = { bash, zsh, fish };
  const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
  if (script === undefined) throw usageError(`there is no completion for ${shell}`, "write bash, zsh or fish");
  const text = script();
  if (host.output.json) host.output.object("Completion", { shell, script: text });
  else host.output.write(text);
  return Promise.resolve(0);
};

/** Names of agents, one a line: asked of the command itself, silently. */
const agentNames = 'moorage status --json 2>/dev/null | grep -o \'"agent":"[^"]*"\' | cut -d\'"\' -f4';

function flagsOf(spec: CommandSpec): string[] {
  return [...spec.flags, ...commonFlags].flatMap(({ name, short }) => [
    `--${name}`,
    ...(short === undefined ? [] : [`-${short}`]),
  ]);
}

function names(): string[] {
  return commands.flatMap(({ name, aliases }) => [name, ...aliases]);
}

const groups: readonly CommandGroup[] = commands.filter(isGroup);

/** What stands before the words of a command, as the scripts compare it: also under its other names. */
function keysOf({ name, aliases }: CommandEntry): string {
  return [name, ...aliases].map((one) => one.replace(" ", "\\ ")).join("|");
}

function subcommandsOf({ subcommands }: CommandGroup): string {
  return subcommands.map(lastWord).join(" ");
}

function wordsOf({ complete }: CommandSpec): string {
  if (complete === "agents") return "$(_moorage_agents)";
  return complete === "none" ? "" : complete.join(" ");
}

/** Flags whose value is a file or a folder. */
function pathFlags(kind: "file" | "folder"): string[] {
  const flags = runnable.flatMap((spec) => [...spec.flags, ...commonFlags]).filter(({ complete }) => complete === kind);
  return [...new Set(flags.map(({ name }) => `--${name}`))];
}

function bash(): string {
  const cases = [
    ...groups.map((group) => `    ${keysOf(group)}) words="${subcommandsOf(group)}" ;;`),
    ...runnable.map((spec) => `    ${keysOf(spec)}) words="${wordsOf(spec)}"; flags="${flagsOf(spec).join(" ")}" ;;`),
  ];
  return `# bash completion for moorage
_moorage_agents() { ${agentNames}; }
_moorage() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" words="" flags="" command="\${COMP_WORDS[1]}"
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${names().join(" ")}" -- "$current"))
    return
  fi
  case "$previous" in
    ${pathFlags("file").join("|")}) COMPREPLY=($(compgen -f -- "$current")); return ;;
    ${pathFlags("folder").join("|")}) COMPREPLY=($(compgen -d -- "$current")); return ;;
    --on) COMPREPLY=($(compgen -W "local kubernetes" -- "$current")); return ;;
  esac
  case "$command" in
    ${groups.map(keysOf).join("|")}) if [ "$COMP_CWORD" -gt 2 ]; then command="$command \${COMP_WORDS[2]}"; fi ;;
  esac
  case "$command" in
${cases.join("\n")}
  esac
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$flags" -- "$current")) ;;
    *) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
  esac
}
complete -F _moorage moorage
`;
}

function zsh(): string {
  const described = commands.map(({ name, summary }) => `    '${name}:${summary.replaceAll("'", "")}'`);
  const cases = [
    ...groups.map((group) => `    ${keysOf(group)}) offered=(${subcommandsOf(group)}) ;;`),
    ...runnable.map((spec) => {
      const offered = spec.complete === "agents" ? `\${(f)"$(_moorage_agents)"}` : wordsOf(spec);
      return `    ${keysOf(spec)}) offered=(${offered}); flags=(${flagsOf(spec).join(" ")}) ;;`;
    }),
  ];
  return `#compdef moorage
_moorage_agents() { ${agentNames} }
_moorage() {
  local -a known offered flags
  local command="\${words[2]}"
  known=(
${described.join("\n")}
  )
  if (( CURRENT == 2 )); then
    _describe 'command' known
    return
  fi
  case "\${words[CURRENT-1]}" in
    ${pathFlags("file").join("|")}) _files; return ;;
    ${pathFlags("folder").join("|")}) _files -/; return ;;
    --on) compadd local kubernetes; return ;;
  esac
  case "$command" in
    ${groups.map(keysOf).join("|")}) if (( CURRENT > 3 )); then command="$command \${words[3]}"; fi ;;
  esac
  case "$command" in
${cases.join("\n")}
  esac
  if [[ "$PREFIX" == -* ]]; then compadd -- $flags; else compadd -- $offered; fi
}
compdef _moorage moorage
`;
}

function fish(): string {
  const quoted = (text: string): string => `'${text.replaceAll("'", "\\'")}'`;
  const first = commands.flatMap(({ name, aliases, summary }) =>
    [name, ...aliases].map((one) => `complete -c moorage -n __fish_use_subcommand -a ${one} -d ${quoted(summary)}`),
  );
  const second = groups.flatMap((group) => {
    const here = quoted(`_moorage_first ${group.name}; and not _moorage_second ${subcommandsOf(group)}`);
    return group.subcommands.map(
      (spec) => `complete -c moorage -n ${here} -a ${lastWord(spec)} -d ${quoted(spec.summary)}`,
    );
  });
  const lines = runnable.flatMap((spec) => {
    const [word = "", sub] = spec.name.split(" ");
    const here = quoted(
      `_moorage_first ${[word, ...spec.aliases].join(" ")}${sub === undefined ? "" : `; and _moorage_second ${sub}`}`,
    );
    const flags = [...spec.flags, ...commonFlags].map(({ name, short, value, description, complete }) => {
      const shortPart = short === undefined ? "" : ` -s ${short}`;
      const valuePart = value === undefined ? "" : complete === "file" || complete === "folder" ? " -r -F" : " -x";
      return `complete -c moorage -n ${here} -l ${name}${shortPart}${valuePart} -d ${quoted(description)}`;
    });
    const words =
      spec.complete === "agents" ? ["(_moorage_agents)"] : spec.complete === "none" ? [] : [spec.complete.join(" ")];
    return [...words.map((list) => `complete -c moorage -n ${here} -a ${quoted(list)}`), ...flags];
  });
  return `# fish completion for moorage
function _moorage_agents; ${agentNames}; end
function _moorage_first; set -l words (commandline -opc); contains -- "$words[2]" $argv; end
function _moorage_second; set -l words (commandline -opc); contains -- "$words[3]" $argv; end
complete -c moorage -f
${[...first, ...second, ...lines].join("\n")}
`;
}
