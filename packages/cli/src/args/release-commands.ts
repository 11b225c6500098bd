/** The group `release`, as data. */
import type { CommandGroup, CommandSpec } from "./command-spec.ts";
import { file } from "./flags.ts";

const common = { aliases: [], takesCommand: false, onThisMachineOnly: true } as const;

const publish: CommandSpec = {
  ...common,
  name: "release publish",
  summary: "make the declared builds available to their fleet; each takes effect at its agent's next start",
  usage: "[NAME…]",
  words: [0, Number.POSITIVE_INFINITY],
  complete: "agents",
  flags: [file],
  examples: [
    ["moorage release publish", "every agent of ./agent.yaml"],
    ["moorage release publish scribe", "one of them"],
  ],
  load: async () => (await import("../commands/release-publish.ts")).releasePublish,
};

const list: CommandSpec = {
  ...common,
  name: "release list",
  summary: "the builds that are available, by fleet and agent",
  usage: "[FLEET…]",
  words: [0, Number.POSITIVE_INFINITY],
  complete: "none",
  flags: [],
  examples: [["moorage release list", ""]],
  load: async () => (await import("../commands/release-list.ts")).releaseList,
};

export const releaseCommands: CommandGroup = {
  name: "release",
  aliases: [],
  summary: "builds made available: what the next start runs",
  subcommands: [publish, list],
};
