/** The rows of the fault table about declarations; `fault-table.ts` is the whole of it. */

/** What stands in the place of the declaration. */
type Declared =
  /** The whole text of agent.yaml. */
  | { readonly text: string | Uint8Array }
  /** The `spec` of an agent called `a`; what is there once must be `command`. */
  | { readonly spec: string }
  | { readonly file: "missing" | "folder" | "emptyFolder" | "unreadable" | "fifo" | "linkToItself" };

export interface DeclarationFault {
  readonly input: string;
  readonly declared: Declared;
  readonly exit: number;
  readonly code: string;
  /** Every one of them, as line:column, where the text has places. */
  readonly at?: readonly string[];
  /** Words that the message or the hint has. */
  readonly says?: string;
}

/** The third document's `spec`: line and column are those of the whole file. */
const threeDocuments = `apiVersion: moorage.dev/v1alpha1
kind: Agent
metadata: { name: one }
spec: { run: { command: [sleep, "600"] } }
---
apiVersion: moorage.dev/v1alpha1
kind: Agent
metadata: { name: two }
spec: { run: { command: [sleep, "600"] } }
---
apiVersion: moorage.dev/v1alpha1
kind: Agent
metadata: { name: three }
spec: { run: { command: sleep }, drian: 5s }
`;

const run = 'run: { command: [sleep, "600"] }';

function named(name: string): string {
  return `apiVersion: moorage.dev/v1alpha1\nkind: Agent\nmetadata: { name: ${name} }\nspec: { ${run} }\n`;
}

function withKey(value: string): string {
  return `${run}\nidentity: { keyFrom: { file: ./key } }\n# key: ${value}`;
}

const invalid = { exit: 2, code: "declarationInvalid" } as const;
const unreadable = { exit: 2, code: "declarationUnreadable" } as const;
const unusable = { exit: 2, code: "commandUnusable" } as const;

/** What remains after each of these: nothing at all, not even the state directory. */
export const declarationFaults: readonly DeclarationFault[] = [
  { input: "an empty file", declared: { text: "" }, ...invalid, at: ["1:1"], says: "declares nothing" },
  { input: "only a comment", declared: { text: "# nothing\n" }, ...invalid, says: "declares nothing" },
  { input: "no YAML", declared: { text: "kind: [Agent\nspec: }" }, ...invalid },
  { input: "a list", declared: { text: "- a\n- b\n" }, ...invalid },
  {
    input: "a bad third document",
    declared: { text: threeDocuments },
    ...invalid,
    at: ["14:25", "14:34"],
    says: "did you mean drain?",
  },
  { input: "a duplicate key", declared: { spec: `${run}\ndrain: 5s\ndrain: 6s` }, ...invalid, at: ["7:3"] },
  {
    input: "an unknown key",
    declared: { spec: `${run}\ngrase: 90s` },
    ...invalid,
    at: ["6:3"],
    says: "did you mean grace?",
  },
  { input: "an unknown key without a neighbour", declared: { spec: `${run}\nqqq: 1` }, ...invalid, at: ["6:3"] },
  { input: "a list where a text belongs", declared: { spec: `${run}\ndrain: [5s]` }, ...invalid, at: ["6:10"] },
  { input: "a text where a list belongs", declared: { spec: "run: { command: sleep }" }, ...invalid, at: ["5:19"] },
  { input: "no command", declared: { spec: "run: {}" }, ...invalid },
  { input: "an empty command", declared: { spec: "run: { command: [] }" }, ...invalid },
  { input: "duration 0", declared: { spec: `${run}\ndrain: 0` }, ...invalid, at: ["6:10"] },
  { input: "duration 0s", declared: { spec: `${run}\nidle: 0s` }, ...invalid, at: ["6:9"] },
  { input: "duration -1s", declared: { spec: `${run}\ndrain: -1s` }, ...invalid, says: "negative" },
  { input: "duration 1e9h", declared: { spec: `${run}\ngrace: 1e9h` }, ...invalid, says: "whole number" },
  { input: "duration 5", declared: { spec: `${run}\ndrain: 5` }, ...invalid, says: "unit" },
  { input: "duration of more than a year", declared: { spec: `${run}\ngrace: 9999999999h` }, ...invalid, says: "year" },
  { input: "grace that is not more than drain", declared: { spec: `${run}\ndrain: 60s\ngrace: 60s` }, ...invalid },
  {
    input: "a key of env that is not POSIX",
    declared: { spec: `${run}\nenv: { "A-B": x }` },
    ...invalid,
    at: ["6:10"],
  },
  {
    input: "a key of env that begins with a digit",
    declared: { spec: `${run}\nenv: { 1A: x }` },
    ...invalid,
    at: ["6:10"],
  },
  { input: "a variable that Moorage sets", declared: { spec: `${run}\nenv: { MOORAGE_SOCKET: x }` }, ...invalid },
  { input: "a value with NUL", declared: { spec: `${run}\nenv: { A: "x\\0y" }` }, ...invalid, says: "NUL" },
  { input: "an argument with NUL", declared: { spec: 'run: { command: [sleep, "6\\0"] }' }, ...invalid, says: "NUL" },
  {
    input: "a value of 200 kB",
    declared: { spec: `${run}\nenv: { A: ${"x".repeat(200_000)} }` },
    ...invalid,
    says: "131071",
  },
  {
    input: "a variable in env and in secretEnv",
    declared: { spec: `${run}\nenv: { A: x }\nsecretEnv: { A: { env: A } }` },
    ...invalid,
  },
  { input: "a name with /", declared: { text: named("a/b") }, ...invalid, at: ["3:19"] },
  { input: "the name ..", declared: { text: named('".."') }, ...invalid, at: ["3:19"] },
  { input: "a name in upper case", declared: { text: named("Scribe") }, ...invalid, says: "scribe" },
  { input: "a name of 300 characters", declared: { text: named("a".repeat(300)) }, ...invalid, says: "300" },
  { input: "a name with an emoji", declared: { text: named('"a🦑"') }, ...invalid, says: "🦑" },
  { input: "a name twice", declared: { text: `${named("a")}---\n${named("a")}` }, ...invalid, says: "3" },
  {
    input: "another kind",
    declared: { text: "apiVersion: v1\nkind: Pod\nmetadata: { name: a }\nspec: {}\n" },
    ...invalid,
  },
  {
    input: "bytes that are no UTF-8",
    declared: { text: Uint8Array.of(0x6b, 0xff, 0xfe, 0x0a) },
    ...unreadable,
    says: "UTF-8",
  },
  { input: "a file of 2 MiB", declared: { text: `# ${"x".repeat(2 << 20)}\n${named("a")}` }, ...unreadable },
  { input: "a bomb of aliases", declared: { text: aliasBomb() }, ...invalid },
  { input: "no file", declared: { file: "missing" }, exit: 2, code: "declarationMissing", says: "moorage init" },
  { input: "a folder without any declaration", declared: { file: "emptyFolder" }, ...unreadable },
  { input: "a folder in the place of a file of a folder", declared: { file: "folder" }, ...unreadable },
  { input: "a file that may not be read", declared: { file: "unreadable" }, ...unreadable, says: "chmod" },
  { input: "a FIFO", declared: { file: "fifo" }, ...unreadable },
  { input: "a symbolic link to itself", declared: { file: "linkToItself" }, ...unreadable },
  { input: "an npub in the place of an nsec", declared: { spec: withKey(npub()) }, exit: 2, code: "keyIsPublic" },
  { input: "a key of 63 digits", declared: { spec: withKey("1".repeat(63)) }, exit: 2, code: "keyWrongLength" },
  { input: "the key zero", declared: { spec: withKey("0".repeat(64)) }, exit: 2, code: "keyZero" },
  {
    input: "a key beyond the group's order",
    declared: { spec: withKey("f".repeat(64)) },
    exit: 2,
    code: "keyOutOfRange",
  },
  {
    input: "a key with a foreign digit",
    declared: { spec: withKey(`${"1".repeat(63)}g`) },
    exit: 2,
    code: "keyWrongCharacter",
  },
  { input: "an empty key", declared: { spec: withKey("") }, exit: 2, code: "secretMissing" },
  {
    input: "a secret whose variable is not set",
    declared: { spec: `${run}\nsecretEnv: { A: { env: NOT_SET } }` },
    exit: 2,
    code: "secretMissing",
    says: "export NOT_SET",
  },
  {
    input: "a secret whose file is missing",
    declared: { spec: `${run}\nsecretEnv: { A: { file: ./none } }` },
    exit: 2,
    code: "secretMissing",
  },
  {
    input: "2 MiB of secrets",
    declared: { spec: `${run}\nsecretEnv:\n${secretFiles(20)}` },
    exit: 2,
    code: "secretInvalid",
    says: "1048576",
  },
  {
    input: "a command that is not there",
    declared: { spec: "run: { command: [no-such-program] }" },
    ...unusable,
    says: "PATH",
  },
  { input: "a path that is not there", declared: { spec: "run: { command: [./none] }" }, ...unusable },
  {
    input: "a command that may not be executed",
    declared: { spec: "run: { command: [./plain.txt] }" },
    ...unusable,
    says: "chmod +x",
  },
  { input: "a folder as the command", declared: { spec: "run: { command: [./folder] }" }, ...unusable, says: "folder" },
  {
    input: "a script without an interpreter",
    declared: { spec: "run: { command: [./no-interpreter] }" },
    ...unusable,
    says: "#!",
  },
  {
    input: "a script whose interpreter is not there",
    declared: { spec: "run: { command: [./lost-interpreter] }" },
    ...unusable,
  },
  {
    input: "a script of node that is not there",
    declared: { spec: "run: { command: [node, none.js] }" },
    ...unusable,
    says: "none.js",
  },
  {
    input: "a file of the build that is not there",
    declared: { spec: 'run: { command: [sleep, "600"], files: [none.ts] }' },
    exit: 2,
    code: "buildFileMissing",
  },
  {
    input: "a catalog that is not there",
    declared: { spec: `${run}\ncatalog: ./none` },
    exit: 2,
    code: "catalogMissing",
  },
];

/** A public key that is well formed. */
function npub(): string {
  return "npub10elfcs4fr0l0r8af98jlmgdh9c8tcxjvz9qkw038js35mp4dma8qzvjptg";
}

function secretFiles(count: number): string {
  return Array.from({ length: count }, (_, index) => `  S${index}: { file: ./large }`).join("\n");
}

function aliasBomb(): string {
  const levels = Array.from(
    { length: 12 },
    (_, index) => `l${index + 1}: &l${index + 1} [${`*l${index}, `.repeat(9)}*l${index}]`,
  );
  return `l0: &l0 [a, a]\n${levels.join("\n")}\n`;
}
