/** The group `update`, as data. */
import type { CommandGroup, CommandSpec } from "./command-spec.ts";
import { deadline, file } from "./flags.ts";

const common = { aliases: [], complete: "agents", takesCommand: false, onThisMachineOnly: true } as const;
/** About the agents that are named, or all. */
const ofAgents = { ...common, usage: "[NAME…]", words: [0, Number.POSITIVE_INFINITY] } as const;
/** About all that is declared. */
const ofAll = { ...common, usage: "", words: [0, 0], complete: "none" } as const;

const plan: CommandSpec = {
  ...ofAgents,
  name: "update plan",
  summary: "what an update would do to each agent, and why; changes nothing",
  flags: [file],
  examples: [
    ["moorage update plan", "all agents of ./agent.yaml"],
    ["moorage update plan --json", "for programs"],
  ],
  load: async () => (await import("../commands/update-plan.ts")).updatePlan,
};

const apply: CommandSpec = {
  ...ofAll,
  name: "update apply",
  summary: "build, sign and publish what was edited, plan, and carry it out, each step printed",
  flags: [
    file,
    deadline,
    { name: "only", value: "AGENT", description: "try it on this one first" },
    {
      name: "migration",
      value: "COMMAND",
      description: "run it while the whole fleet is stopped, between the old format and the new",
    },
    { name: "when-idle", description: "ask agents with a new build to stop at their idle moment, one at a time" },
  ],
  examples: [
    ["moorage update apply", "the next turn uses what was edited"],
    ["moorage update apply --only scribe", "on one agent first"],
    ["moorage update apply --migration ./migrate.sh", "when the format moves"],
  ],
  load: async () => (await import("../commands/update-apply.ts")).updateApply,
};

const watch: CommandSpec = {
  ...ofAll,
  name: "update watch",
  summary: "apply at every save, until Ctrl-C",
  flags: [file, { name: "only", value: "AGENT", description: "on this one alone" }],
  examples: [["moorage update watch", "while you write prompts"]],
  load: async () => (await import("../commands/update-watch.ts")).updateWatch,
};

const status: CommandSpec = {
  ...ofAgents,
  name: "update status",
  summary: "where each agent is with its bundle and its build, and what waits for what",
  flags: [file],
  examples: [["moorage update status", ""]],
  load: async () => (await import("../commands/update-status.ts")).updateStatus,
};

const rollback: CommandSpec = {
  ...ofAll,
  name: "update rollback",
  summary: "publish old content under a new sequence, and deliver it",
  flags: [
    file,
    deadline,
    {
      name: "to",
      value: "SEQUENCE",
      description: "the content of this bundle (default: of the one before that in use)",
    },
  ],
  examples: [
    ["moorage update rollback", "to what was published before"],
    ["moorage update rollback --to 3", "to the content of the third bundle"],
  ],
  load: async () => (await import("../commands/update-rollback.ts")).updateRollback,
};

export const updateCommands: CommandGroup = {
  name: "update",
  aliases: [],
  summary: "bring edited catalogs and new builds to agents that run, without surprises",
  subcommands: [plan, apply, watch, status, rollback],
};
