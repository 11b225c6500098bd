/** The group `bundle`, as data. */
import type { CommandGroup, CommandSpec } from "./command-spec.ts";
import { file } from "./flags.ts";

const common = { aliases: [], complete: "none", takesCommand: false, onThisMachineOnly: true } as const;

const build: CommandSpec = {
  ...common,
  name: "bundle build",
  summary: "check and hash a catalog, and say what it holds; --output writes it as one file",
  usage: "[DIR]",
  words: [0, 1],
  flags: [
    file,
    {
      name: "output",
      value: "FILE",
      description: "write the bundle as one file, to be signed and published later or elsewhere",
    },
  ],
  examples: [
    ["moorage bundle build", "the catalog of ./agent.yaml"],
    ["moorage bundle build ./catalog --output writers.bundle", "to be signed and published later"],
  ],
  load: async () => (await import("../commands/bundle-build.ts")).bundleBuild,
};

const show: CommandSpec = {
  ...common,
  name: "bundle show",
  summary: "what a bundle is: of an agent the one that it has in use; without a word, all that were published",
  usage: "[AGENT|SEQUENCE|DIGEST|FILE]",
  words: [0, 1],
  complete: "agents",
  flags: [file],
  examples: [
    ["moorage bundle show", "all bundles of the channels of ./agent.yaml"],
    ["moorage bundle show scribe", "what it has in use"],
    ["moorage bundle show 3", "the third bundle of the channel of ./agent.yaml"],
  ],
  load: async () => (await import("../commands/bundle-show.ts")).bundleShow,
};

const diff: CommandSpec = {
  ...common,
  name: "bundle diff",
  summary: "what changed between two, down to the line and the value",
  usage: "A B",
  words: [2, 2],
  complete: "agents",
  flags: [file],
  examples: [
    ["moorage bundle diff scribe ./catalog", "what an agent has in use, against what is edited"],
    ["moorage bundle diff 2 3 --json", "two published bundles, for programs"],
  ],
  load: async () => (await import("../commands/bundle-diff.ts")).bundleDiff,
};

const sign: CommandSpec = {
  ...common,
  name: "bundle sign",
  summary: "add this machine's signature to a bundle in a file",
  usage: "FILE",
  words: [1, 1],
  flags: [],
  examples: [["moorage bundle sign writers.bundle", ""]],
  load: async () => (await import("../commands/bundle-sign.ts")).bundleSign,
};

const verify: CommandSpec = {
  ...common,
  name: "bundle verify",
  summary: "check signatures, order and content, and say against which trust root; exit 4 when it does not hold",
  usage: "SEQUENCE|DIGEST|FILE",
  words: [1, 1],
  flags: [file],
  examples: [
    ["moorage bundle verify writers.bundle", "one that came from elsewhere"],
    ["moorage bundle verify 3", "the third bundle of the channel of ./agent.yaml"],
  ],
  load: async () => (await import("../commands/bundle-verify.ts")).bundleVerify,
};

const publish: CommandSpec = {
  ...common,
  name: "bundle publish",
  summary: "put a bundle at the head of its channel; it delivers nothing, `update apply` does",
  usage: "[DIR|FILE]",
  words: [0, 1],
  flags: [file],
  examples: [
    ["moorage bundle publish", "the catalog of ./agent.yaml"],
    ["moorage bundle publish writers.bundle", "one that was built and signed elsewhere"],
  ],
  load: async () => (await import("../commands/bundle-publish.ts")).bundlePublish,
};

export const bundleCommands: CommandGroup = {
  name: "bundle",
  aliases: [],
  summary: "catalogs made immutable: build, look at, compare, sign, check and publish them",
  subcommands: [build, show, diff, sign, verify, publish],
};
