/** `moorage completion`: scripts that complete commands, flags and the names of agents. */
import type { CommandSpec, Run } from "../args/command-spec.ts";
import { commands, commonFlags } from "../args/commands.ts";
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

function wordsOf({ complete }: CommandSpec): string {
  if (complete === "agents") return "$(_moorage_agents)";
  return complete === "none" ? "" : complete.join(" ");
}

/** Flags whose value is a file or a folder. */
function pathFlags(kind: "file" | "folder"): string[] {
  const flags = commands.flatMap((spec) => [...spec.flags, ...commonFlags]).filter(({ complete }) => complete === kind);
  return [...new Set(flags.map(({ name }) => `--${name}`))];
}

function bash(): string {
  const cases = commands.map(
    (spec) =>
      `    ${[spec.name, ...spec.aliases].join("|")}) words="${wordsOf(spec)}"; flags="${flagsOf(spec).join(" ")}" ;;`,
  );
  return `# bash completion for moorage
_moorage_agents() { ${agentNames}; }
_moorage() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" words="" flags=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${names().join(" ")}" -- "$current"))
    return
  fi
  case "$previous" in
    ${pathFlags("file").join("|")}) COMPREPLY=($(compgen -f -- "$current")); return ;;
    ${pathFlags("folder").join("|")}) COMPREPLY=($(compgen -d -- "$current")); return ;;
    --on) COMPREPLY=($(compgen -W "local kubernetes" -- "$current")); return ;;
  esac
  case "\${COMP_WORDS[1]}" in
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
  const cases = commands.map((spec) => {
    const offered = spec.complete === "agents" ? `\${(f)"$(_moorage_agents)"}` : wordsOf(spec);
    return `    ${[spec.name, ...spec.aliases].join("|")}) offered=(${offered}); flags=(${flagsOf(spec).join(" ")}) ;;`;
  });
  return `#compdef moorage
_moorage_agents() { ${agentNames} }
_moorage() {
  local -a known offered flags
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
  case "\${words[2]}" in
${cases.join("\n")}
  esac
  if [[ "$PREFIX" == -* ]]; then compadd -- $flags; else compadd -- $offered; fi
}
compdef _moorage moorage
`;
}

function fish(): string {
  const quoted = (text: string): string => `'${text.replaceAll("'", "\\'")}'`;
  const lines = commands.flatMap((spec) => {
    const own = [spec.name, ...spec.aliases];
    const here = `__fish_seen_subcommand_from ${own.join(" ")}`;
    const flags = [...spec.flags, ...commonFlags].map(({ name, short, value, description, complete }) => {
      const shortPart = short === undefined ? "" : ` -s ${short}`;
      const valuePart = value === undefined ? "" : complete === "file" || complete === "folder" ? " -r -F" : " -x";
      return `complete -c moorage -n ${quoted(here)} -l ${name}${shortPart}${valuePart} -d ${quoted(description)}`;
    });
    const words =
      spec.complete === "agents" ? ["(_moorage_agents)"] : spec.complete === "none" ? [] : [spec.complete.join(" ")];
    return [
      ...own.map((name) => `complete -c moorage -n __fish_use_subcommand -a ${name} -d ${quoted(spec.summary)}`),
      ...words.map((list) => `complete -c moorage -n ${quoted(here)} -a ${quoted(list)}`),
      ...flags,
    ];
  });
  return `# fish completion for moorage
function _moorage_agents; ${agentNames}; end
complete -c moorage -f
${lines.join("\n")}
`;
}
