/** All commands as data. Only what a command is; its code is loaded when it runs. */
import { bundleCommands } from "./bundle-commands.ts";
import type { CommandEntry, CommandSpec } from "./command-spec.ts";
import { isGroup } from "./command-spec.ts";
import { deadline, file, follow, longFile, settle } from "./flags.ts";
import { keysCommands } from "./keys-commands.ts";
import { mailboxCommands } from "./mailbox-commands.ts";
import { releaseCommands } from "./release-commands.ts";
import { updateCommands } from "./update-commands.ts";

const many = Number.POSITIVE_INFINITY;

export const commands: readonly CommandEntry[] = [
  {
    name: "init",
    aliases: [],
    summary: "write a working example into this folder; never overwrites",
    usage: "[NAME]",
    words: [0, 1],
    complete: "none",
    takesCommand: false,
    flags: [],
    examples: [
      ["moorage init scribe", "agent.yaml, agent.ts, catalog/, texts/: then `moorage deploy`"],
      ["moorage init ticker --on kubernetes", "an agent.yaml with an image, for a cluster"],
    ],
    load: async () => (await import("../commands/init.ts")).init,
  },
  {
    name: "deploy",
    aliases: ["start"],
    summary: "start exactly one of each; what runs is left alone",
    usage: "[NAME…] | NAME -- COMMAND…",
    words: [0, many],
    complete: "agents",
    takesCommand: true,
    flags: [
      file,
      deadline,
      settle,
      { name: "require-current", description: "exit 4 when it runs from an older declaration" },
      { name: "dry-run", description: "print the next action and its reason, and change nothing" },
    ],
    examples: [
      ["moorage deploy", "all agents of ./agent.yaml"],
      ["moorage deploy scribe", "one of them"],
      ["moorage deploy ticker -- node ticker.js", "without any file"],
      ["moorage deploy --dry-run", "what would it do, and why"],
      ["moorage deploy --on kubernetes --namespace team", "as pods on a cluster"],
    ],
    load: async () => (await import("../commands/deploy.ts")).deploy,
  },
  {
    name: "restart",
    aliases: [],
    summary: "stop at a turn boundary, then deploy",
    usage: "NAME…",
    words: [1, many],
    complete: "agents",
    takesCommand: false,
    flags: [file, deadline, settle],
    examples: [
      ["moorage restart scribe", "takes the declaration as it is now"],
      ["moorage restart self", "from inside an agent: after this turn"],
    ],
    load: async () => (await import("../commands/restart.ts")).restart,
  },
  {
    name: "keep",
    aliases: [],
    summary: "stay, and revive what the declaration allows",
    usage: "[NAME…]",
    words: [0, many],
    complete: "agents",
    takesCommand: false,
    flags: [
      file,
      { name: "install", description: "write a user unit (systemd, launchd) that does it, and start that" },
    ],
    examples: [
      ["moorage keep", "all agents of ./agent.yaml with revive: onFailure"],
      ["moorage keep --install", "the same, after every login or boot"],
    ],
    load: async () => (await import("../commands/keep.ts")).keep,
  },
  {
    name: "status",
    aliases: [],
    summary: "one line for each agent",
    usage: "[NAME…]",
    words: [0, many],
    complete: "agents",
    takesCommand: false,
    flags: [
      longFile,
      { name: "fleet", description: "the agents of the declaration, by fleet, with those that do not run" },
      { name: "watch", description: "again at every change, until Ctrl-C" },
    ],
    examples: [
      ["moorage status", "everything of ours in the scope"],
      ["moorage status --watch --json", "one object a line, for programs"],
    ],
    load: async () => (await import("../commands/status.ts")).status,
  },
  {
    name: "explain",
    aliases: [],
    summary: "what is, why, what a deploy would do now, what to do about it",
    usage: "NAME | --pull-message TEXT",
    words: [0, 1],
    complete: "agents",
    takesCommand: false,
    flags: [
      file,
      {
        name: "pull-message",
        value: "TEXT",
        description: "what such a text about an image means; - reads JSON lines with reason and message",
      },
      { name: "reason", value: "REASON", description: "the waiting reason that came with it (default ErrImagePull)" },
    ],
    examples: [
      ["moorage explain scribe", "what is, why, and what to do"],
      ['moorage explain --pull-message "manifest unknown"', "without any cluster"],
    ],
    load: async () => (await import("../commands/explain.ts")).explain,
  },
  {
    name: "stop",
    aliases: [],
    summary: "let the turn finish, then end it, and wait for that",
    usage: "NAME… | --all",
    words: [0, many],
    complete: "agents",
    takesCommand: false,
    flags: [
      longFile,
      deadline,
      { name: "all", description: "everything of ours in the scope" },
      { name: "now", description: "do not wait for the turn: the grace becomes 2 seconds" },
      { name: "purge", description: "remove its folder with workspace and logs as well" },
    ],
    examples: [
      ["moorage stop scribe", "lets the turn finish"],
      ["moorage stop --all --now", "everything, at once"],
      ["moorage stop self", "from inside an agent: after this turn"],
    ],
    load: async () => (await import("../commands/stop.ts")).stop,
  },
  {
    name: "logs",
    aliases: [],
    summary: "what agents wrote, several prefixed with their names",
    usage: "[NAME…]",
    words: [0, many],
    complete: "agents",
    takesCommand: false,
    flags: [
      longFile,
      follow,
      { name: "since", value: "TIME", description: "from that time on: a duration such as 10m, or an ISO 8601 time" },
      { name: "previous", description: "of the run before this one" },
      { name: "tail", value: "N", description: "only the last N lines" },
    ],
    examples: [
      ["moorage logs -f", "all agents, as they write"],
      ["moorage logs scribe --previous", "what it said before it was started again"],
    ],
    load: async () => (await import("../commands/logs.ts")).logs,
  },
  {
    name: "journal",
    aliases: ["events"],
    summary: "what was seen, decided and done",
    usage: "[NAME]",
    words: [0, 1],
    complete: "agents",
    takesCommand: false,
    flags: [longFile, follow, { name: "tail", value: "N", description: "only the last N steps" }],
    examples: [["moorage journal scribe -f", ""]],
    load: async () => (await import("../commands/journal.ts")).journal,
  },
  {
    name: "fingerprint",
    aliases: [],
    summary: "what decides whether two builds can talk, and the files behind it",
    usage: "[DIR]",
    words: [0, 1],
    complete: "none",
    takesCommand: false,
    flags: [
      file,
      { name: "check", description: "change nothing; exit 4 when content moved and its version did not" },
      {
        name: "accept",
        value: "WORD",
        description: "compatible: your word that what moved under its version reads the data of all before, both ways",
        complete: ["compatible"],
      },
    ],
    examples: [
      ["moorage fingerprint", "print it, and keep fingerprint.lock.json"],
      ["moorage fingerprint --check", "in a git hook, or in CI"],
    ],
    load: async () => (await import("../commands/fingerprint.ts")).fingerprint,
  },
  bundleCommands,
  releaseCommands,
  updateCommands,
  mailboxCommands,
  keysCommands,
  {
    name: "doctor",
    aliases: [],
    summary: "check machine, state, cluster access and rights, and say how to repair",
    usage: "",
    words: [0, 0],
    complete: "none",
    takesCommand: false,
    flags: [file],
    examples: [
      ["moorage doctor", ""],
      ["moorage doctor --on kubernetes", "access, rights and the namespace"],
    ],
    load: async () => (await import("../commands/doctor.ts")).doctor,
  },
  {
    name: "schema",
    aliases: [],
    summary: "print the JSON Schema of the declaration, or of a JSON result",
    usage: "[KIND]",
    words: [0, 1],
    complete: ["Agent", "DeployResult", "StatusResult", "Error"],
    takesCommand: false,
    flags: [],
    examples: [
      ["moorage schema", "of agent.yaml"],
      ["moorage schema DeployResult", "of what `deploy --json` prints"],
    ],
    load: async () => (await import("../commands/schema.ts")).schema,
  },
  {
    name: "completion",
    aliases: [],
    summary: "print a completion script for the shell",
    usage: "bash|zsh|fish",
    words: [1, 1],
    complete: ["bash", "zsh", "fish"],
    takesCommand: false,
    flags: [],
    examples: [
      ['eval "$(moorage completion bash)"', "in ~/.bashrc"],
      ["moorage completion fish | source", "in config.fish"],
    ],
    load: async () => (await import("../commands/completion.ts")).completion,
  },
  {
    name: "version",
    aliases: [],
    summary: "print the version",
    usage: "",
    words: [0, 0],
    complete: "none",
    takesCommand: false,
    flags: [],
    examples: [],
    load: async () => (await import("../commands/version.ts")).version,
  },
];

/** Every command that can be run, those of groups too. */
export const runnable: readonly CommandSpec[] = commands.flatMap((entry) =>
  isGroup(entry) ? entry.subcommands : [entry],
);

/** The command or the group with this name or alias. */
export function findCommand(name: string): CommandEntry | undefined {
  return commands.find((entry) => entry.name === name || entry.aliases.some((alias) => alias === name));
}
