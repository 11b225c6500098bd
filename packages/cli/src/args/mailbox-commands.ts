/** The group `mailbox`, as data. */
import type { CommandGroup, CommandSpec } from "./command-spec.ts";

const revision = {
  name: "revision",
  value: "N",
  description: "only if the notice still has this revision: what a script has seen",
} as const;

const common = { aliases: [], complete: "none", takesCommand: false, onThisMachineOnly: true } as const;

const list: CommandSpec = {
  ...common,
  name: "mailbox list",
  summary: "what waits for a person, the oldest first",
  usage: "",
  words: [0, 0],
  flags: [{ name: "all", description: "also what is for knowing only, was decided, or is not so any more" }],
  examples: [["moorage mailbox list", ""]],
  load: async () => (await import("../commands/mailbox.ts")).mailboxList,
};

const show: CommandSpec = {
  ...common,
  name: "mailbox show",
  summary: "one notice: what is, why, what was seen, and what there is to choose",
  usage: "ID",
  words: [1, 1],
  flags: [],
  examples: [["moorage mailbox show 4f2a", ""]],
  load: async () => (await import("../commands/mailbox.ts")).mailboxShow,
};

const approve: CommandSpec = {
  ...common,
  name: "mailbox approve",
  summary: "yes: what it asks for may be done",
  usage: "ID",
  words: [1, 1],
  flags: [revision],
  examples: [["moorage mailbox approve 4f2a", ""]],
  load: async () => (await import("../commands/mailbox.ts")).mailboxApprove,
};

const reject: CommandSpec = {
  ...common,
  name: "mailbox reject",
  summary: "no: it is not done",
  usage: "ID",
  words: [1, 1],
  flags: [revision],
  examples: [["moorage mailbox reject 4f2a", ""]],
  load: async () => (await import("../commands/mailbox.ts")).mailboxReject,
};

const decide: CommandSpec = {
  ...common,
  name: "mailbox decide",
  summary: "choose what a notice offers, when that is more than yes and no",
  usage: "ID CHOICE",
  words: [2, 2],
  complete: ["approve", "reject", "retry", "go-on", "go-back", "leave", "acknowledge"],
  flags: [revision],
  examples: [
    ["moorage mailbox decide 4f2a retry", "try a bundle again that was refused or brought back"],
    ["moorage mailbox decide 4f2a go-back", "bring the old pair back up"],
  ],
  load: async () => (await import("../commands/mailbox.ts")).mailboxDecide,
};

const snooze: CommandSpec = {
  ...common,
  name: "mailbox snooze",
  summary: "not now: it waits again after a while",
  usage: "ID --for DURATION",
  words: [1, 1],
  flags: [{ name: "for", value: "DURATION", description: "how long it is to be silent, such as 2h" }, revision],
  examples: [["moorage mailbox snooze 4f2a --for 2h", ""]],
  load: async () => (await import("../commands/mailbox.ts")).mailboxSnooze,
};

export const mailboxCommands: CommandGroup = {
  name: "mailbox",
  aliases: [],
  summary: "what needs a person's decision",
  subcommands: [list, show, approve, reject, decide, snooze],
  alone: list,
};
