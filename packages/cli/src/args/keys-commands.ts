/** The group `keys`, as data. */
import type { CommandGroup, CommandSpec } from "./command-spec.ts";

const common = { aliases: [], complete: "none", takesCommand: false, onThisMachineOnly: true } as const;

const init: CommandSpec = {
  ...common,
  name: "keys init",
  summary: "make the key and the trust root of this machine, if there are none (a first deploy does it too)",
  usage: "",
  words: [0, 0],
  flags: [
    { name: "lost", description: "the key is gone: a new one, with a root that takes the place of the old one" },
    { name: "yes", description: "do it without asking, with --lost" },
  ],
  examples: [
    ["moorage keys init", ""],
    ["moorage keys init --lost", "asks first: agents that run trust the old root until they are restarted"],
  ],
  load: async () => (await import("../commands/keys-init.ts")).keysInit,
};

const list: CommandSpec = {
  ...common,
  name: "keys list",
  summary: "whose signatures count here: keys, root version, threshold and pin; never a private part",
  usage: "",
  words: [0, 0],
  flags: [],
  examples: [["moorage keys list", ""]],
  load: async () => (await import("../commands/keys-list.ts")).keysList,
};

export const keysCommands: CommandGroup = {
  name: "keys",
  aliases: [],
  summary: "the key that signs bundles here, and the trust root",
  subcommands: [init, list],
};
