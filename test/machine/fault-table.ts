/** The fault table: what is put in, how the command ends, the code that it tells, and what remains. The tests run from it. */
export type { DeclarationFault } from "./declaration-faults.ts";
export { declarationFaults } from "./declaration-faults.ts";

export interface LineFault {
  readonly input: string;
  readonly args: readonly string[];
  readonly exit: number;
  readonly code: string;
  readonly says?: string;
}

const usage = { exit: 2, code: "usage" } as const;

/** Command lines beside a declaration that is in order. What remains: nothing. */
export const lineFaults: readonly LineFault[] = [
  { input: "a command that does not exist", args: ["deplyo"], ...usage, says: "deploy" },
  { input: "a flag that does not exist", args: ["deploy", "--jsno"], ...usage, says: "json" },
  { input: "a flag without its value", args: ["deploy", "--file"], ...usage },
  { input: "a value for a flag that takes none", args: ["deploy", "--dry-run=yes"], ...usage },
  { input: "a name with /", args: ["deploy", "a/b", "--", "sleep", "1"], ...usage },
  { input: "the name ..", args: ["stop", ".."], ...usage },
  { input: "a name in upper case", args: ["stop", "Scribe"], ...usage, says: "scribe" },
  { input: "a name of 300 characters", args: ["logs", "a".repeat(300)], ...usage },
  { input: "an emoji for a name", args: ["explain", "🦑"], ...usage },
  { input: "self, from outside of any agent", args: ["stop", "self"], ...usage },
  { input: "a name that is not declared", args: ["deploy", "on"], exit: 2, code: "notDeclared", says: "one" },
  { input: "a restart of what nobody knows", args: ["restart", "nobody"], exit: 4, code: "noSuchAgent" },
  { input: "a command without a name", args: ["deploy", "--", "sleep", "1"], ...usage },
  { input: "nothing after --", args: ["deploy", "a", "--"], ...usage },
  { input: "a stop of nobody", args: ["stop"], ...usage },
  { input: "a stop of all and of one", args: ["stop", "one", "--all"], ...usage },
  { input: "deadline -1s", args: ["deploy", "--deadline=-1s"], ...usage },
  { input: "deadline 5", args: ["deploy", "--deadline", "5"], ...usage },
  { input: "tail of half a line", args: ["logs", "one", "--tail", "0.5"], ...usage },
  { input: "another place to run", args: ["status", "--on", "mars"], ...usage },
  { input: "a cluster, without an image", args: ["deploy", "--on", "kubernetes"], exit: 2, code: "declarationInvalid" },
  {
    input: "a cluster that nobody describes",
    args: ["status", "--on", "kubernetes"],
    exit: 2,
    code: "kubeconfigMissing",
  },
  { input: "a namespace on this machine", args: ["status", "--namespace", "team"], ...usage },
  { input: "a shell that nobody knows", args: ["completion", "tcsh"], ...usage },
];

/** `remains`: of an agent that ran before the fault came: it goes on, nothing ran at all, or it was ended on purpose. */
export interface StateFault {
  readonly input: string;
  readonly condition:
    | "notWritable"
    | "folderNotSearchable"
    | "file"
    | "readOnly"
    | "fullDisk"
    | "corrupt"
    | "cutShort"
    | "emptied"
    | "belowFile"
    | "circle"
    | "dangling"
    | "newer"
    | "locked"
    | "otherUser"
    | "otherMachine"
    | "homeUnset"
    | "deleted";
  readonly exit: number;
  readonly code: string;
  readonly remains: "nothing" | "goesOn" | "endedAndStartedOnce";
  readonly says?: string;
}

export const stateFaults: readonly StateFault[] = [
  {
    input: "a folder that may not be written",
    condition: "notWritable",
    exit: 4,
    code: "stateNotWritable",
    remains: "nothing",
  },
  {
    input: "a folder that may not be entered",
    condition: "folderNotSearchable",
    exit: 4,
    code: "stateNotWritable",
    remains: "nothing",
  },
  { input: "a file in its place", condition: "file", exit: 4, code: "stateNotADirectory", remains: "nothing" },
  { input: "a path below a file", condition: "belowFile", exit: 4, code: "stateNotADirectory", remains: "nothing" },
  { input: "a link in a circle", condition: "circle", exit: 4, code: "stateNotADirectory", remains: "nothing" },
  { input: "a link to nowhere", condition: "dangling", exit: 4, code: "stateNotADirectory", remains: "nothing" },
  { input: "a read-only file system", condition: "readOnly", exit: 4, code: "stateReadOnly", remains: "goesOn" },
  { input: "a full disk", condition: "fullDisk", exit: 1, code: "stateDiskFull", remains: "goesOn" },
  {
    input: "a database that is something else",
    condition: "corrupt",
    exit: 1,
    code: "stateCorrupt",
    remains: "goesOn",
  },
  { input: "a database that was cut short", condition: "cutShort", exit: 1, code: "stateCorrupt", remains: "goesOn" },
  { input: "a database that was emptied", condition: "emptied", exit: 1, code: "stateCorrupt", remains: "goesOn" },
  { input: "a database of a newer version", condition: "newer", exit: 4, code: "stateNewer", remains: "goesOn" },
  {
    input: "a database locked for a minute",
    condition: "locked",
    exit: 3,
    code: "notConfirmed",
    remains: "goesOn",
    says: "is locked by process",
  },
  {
    input: "the state of another user, by sudo",
    condition: "otherUser",
    exit: 4,
    code: "stateOtherOwner",
    remains: "goesOn",
  },
  { input: "the state of another machine", condition: "otherMachine", exit: 4, code: "cannotTell", remains: "goesOn" },
  {
    input: "no HOME and no --state",
    condition: "homeUnset",
    exit: 2,
    code: "homeUnset",
    remains: "nothing",
    says: "--state",
  },
  {
    input: "the state deleted under a running agent",
    condition: "deleted",
    exit: 0,
    code: "started",
    remains: "endedAndStartedOnce",
  },
];

export interface TimeFault {
  readonly input: string;
  /** Milliseconds by which the wall clock of every later command is off. */
  readonly stepMs: number;
  /** Of `deploy`, `restart`, `stop`. What remains: exactly one agent, then nothing. */
  readonly outcomes: readonly ["alreadyRunning", "started", "stopped"];
}

const dayMs = 86_400_000;

export const timeFaults: readonly TimeFault[] = [
  { input: "the wall clock a day ahead", stepMs: dayMs, outcomes: ["alreadyRunning", "started", "stopped"] },
  { input: "the wall clock a day back", stepMs: -dayMs, outcomes: ["alreadyRunning", "started", "stopped"] },
];

/** What agents and supervisors do wrong. `exit` and `code` are those of the command that meets it. */
export interface ProcessFault {
  readonly input: string;
  readonly condition:
    | "supervisorStopped"
    | "agentStopped"
    | "ignoresTerm"
    | "exitsAtOnce"
    | "exitsAtOnceWithZero"
    | "forksAndExits"
    | "fillsItsLog"
    | "invalidUtf8"
    | "noNewline"
    | "openTurns";
  readonly command: "deploy" | "stop" | "logs";
  readonly exit: number;
  readonly code: string;
  readonly remains: "nothing" | "goesOn";
}

export const processFaults: readonly ProcessFault[] = [
  {
    input: "a stopped supervisor",
    condition: "supervisorStopped",
    command: "stop",
    exit: 3,
    code: "notConfirmed",
    remains: "goesOn",
  },
  {
    input: "a stopped agent",
    condition: "agentStopped",
    command: "stop",
    exit: 0,
    code: "stopped",
    remains: "nothing",
  },
  {
    input: "an agent that ignores SIGTERM",
    condition: "ignoresTerm",
    command: "stop",
    exit: 0,
    code: "stopped",
    remains: "nothing",
  },
  {
    input: "an agent that exits at once",
    condition: "exitsAtOnce",
    command: "deploy",
    exit: 4,
    code: "agentEnded",
    remains: "nothing",
  },
  {
    input: "an agent that exits at once, content",
    condition: "exitsAtOnceWithZero",
    command: "deploy",
    exit: 4,
    code: "agentEnded",
    remains: "nothing",
  },
  {
    input: "an agent that forks and exits",
    condition: "forksAndExits",
    command: "deploy",
    exit: 4,
    code: "agentEnded",
    remains: "nothing",
  },
  {
    input: "an agent that fills its log",
    condition: "fillsItsLog",
    command: "logs",
    exit: 0,
    code: "",
    remains: "goesOn",
  },
  { input: "output that is no UTF-8", condition: "invalidUtf8", command: "logs", exit: 0, code: "", remains: "goesOn" },
  { input: "10 MB without a newline", condition: "noNewline", command: "logs", exit: 0, code: "", remains: "goesOn" },
  {
    input: "10,000 turns that never close",
    condition: "openTurns",
    command: "stop",
    exit: 0,
    code: "stopped",
    remains: "nothing",
  },
];
