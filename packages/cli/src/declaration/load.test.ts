import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { CliError } from "../errors/cli-error.ts";
import { imageFault } from "../launch/image-fault.ts";
import { loadDeclaration } from "./load.ts";
import type { Mistake } from "./mistake.ts";

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "declaration-")));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const head = "apiVersion: moorage.dev/v1alpha1\nkind: Agent\n";
const plain = `${head}metadata: { name: scribe }\nspec:\n  run: { command: [sleep, "1"] }\n`;

function write(text: string | Buffer, name = "agent.yaml"): void {
  writeFileSync(join(folder, name), text);
}

function load(named = "agent.yaml"): ReturnType<typeof loadDeclaration> {
  return loadDeclaration(named, { cwd: folder, target: { on: "local" } });
}

function errorOf(named = "agent.yaml"): CliError {
  try {
    load(named);
  } catch (error) {
    if (error instanceof CliError) return error;
    throw error;
  }
  throw new Error("it was accepted");
}

/** The mistakes as `line:column path: message`. */
function mistakes(text: string | Buffer): string[] {
  write(text);
  const error = errorOf();
  expect(error.code).toBe("declarationInvalid");
  const told = error.details["mistakes"] as Mistake[];
  for (const { hint, file } of told) expect([hint.length > 0, file]).toEqual([true, "agent.yaml"]);
  return told.map(({ line, column, path, message }) => `${line}:${column} ${path}: ${message}`);
}

test("a whole declaration becomes an agent with absolute paths, milliseconds and defaults", () => {
  write(`${head}metadata: { name: scribe }
spec:
  fleet: writers
  identity: { keyFrom: { env: SCRIBE_KEY }, as: SCRIBE_KEY }
  run: { command: [node, agent.ts], args: [--fast], files: [agent.ts], image: "registry.example/scribe@sha256:0", harness: true }
  env: { LOG_LEVEL: info }
  secretEnv: { API_KEY: { env: API_KEY }, OTHER: { file: ./other.key } }
  passEnv: [HTTPS_PROXY]
  catalog: { path: ./catalog, signal: SIGHUP, name: voices, trial: { turns: 3, bake: 2m } }
  fingerprint: { wireVersion: 2 }
  drain: 30s
  grace: 2m
  idle: 2h
  revive: onFailure
  allowTag: false
  health: { file: alive, maxAge: 30s }
  kubernetes:
    resources: { requests: { cpu: 100m, memory: 256Mi } }
    nodeSelector: { disk: ssd }
    tolerations: [{ key: a, operator: Exists, effect: NoSchedule }]
    workspace: { claim: work }
    networkPolicy: denyAll
`);
  expect(load()).toEqual([
    {
      name: "scribe",
      fleet: "writers",
      source: join(folder, "agent.yaml"),
      directory: folder,
      identity: { kind: "key", from: { kind: "env", name: "SCRIBE_KEY" }, as: "SCRIBE_KEY" },
      command: ["node", "agent.ts", "--fast"],
      entrypoint: ["node", "agent.ts"],
      args: ["--fast"],
      image: "registry.example/scribe@sha256:0",
      harness: true,
      files: [join(folder, "agent.ts")],
      env: { LOG_LEVEL: "info" },
      secretEnv: new Map<string, object>([
        ["API_KEY", { kind: "env", name: "API_KEY" }],
        ["OTHER", { kind: "file", path: join(folder, "other.key"), shown: "./other.key" }],
      ]),
      passEnv: ["HTTPS_PROXY"],
      catalog: {
        path: join(folder, "catalog"),
        signal: "SIGHUP",
        name: "voices",
        trial: { turns: 3, bakeMs: 120_000 },
      },
      fingerprint: { wireVersion: 2, eventLogSchema: 1, crdApiVersion: "moorage.dev/v1alpha1" },
      drainMs: 30_000,
      graceMs: 120_000,
      idleMs: 7_200_000,
      revive: "onFailure",
      health: { kind: "file", path: join(folder, "alive"), maxAgeMs: 30_000 },
      kubernetes: {
        resources: { requests: { cpu: "100m", memory: "256Mi" } },
        nodeSelector: { disk: "ssd" },
        tolerations: [{ key: "a", operator: "Exists", effect: "NoSchedule" }],
        workspace: { claim: "work" },
        networkPolicy: "denyAll",
      },
    },
  ]);
});

test("where it is to run as a pod, an image is needed that a digest pins, or a tag that is allowed", () => {
  const refused = (spec: string): string[] => {
    write(`apiVersion: moorage.dev/v1alpha1\nkind: Agent\nmetadata: { name: a }\nspec:\n  ${spec}\n`);
    try {
      loadDeclaration("agent.yaml", { cwd: folder, target: { on: "kubernetes", imageFault } });
      return [];
    } catch (error) {
      return (error as Error).message.split("\n");
    }
  };
  const pinned = `registry.example/a@sha256:${"0".repeat(64)}`;
  expect(refused(`run: { image: "${pinned}" }`)).toEqual([]);
  expect(refused('run: { image: "registry.example/a:1" }\n  allowTag: true')).toEqual([]);
  expect(refused('run: { image: "registry.example/a:1" }').join()).toMatch(/agent\.yaml:5:17.*not pinned by digest/);
  expect(refused('run: { image: "registry.example/A:1" }').join()).toMatch(/agent\.yaml:5:17.*capital letters/);
  expect(refused("run: { command: [node] }").join()).toMatch(
    /agent\.yaml:5:3.*no image, which is what runs on Kubernetes/,
  );
  expect(refused(`run: { image: "${pinned}", harness: true }`).join()).toMatch(/no command, which is what the harness/);
});

test("the shortest one has the defaults of the contract", () => {
  write(plain);
  expect(load()).toMatchObject([
    { fleet: "scribe", identity: { kind: "name" }, drainMs: 30_000, graceMs: 60_000, idleMs: null, revive: "never" },
  ]);
});

test("several documents and a whole folder make a fleet; empty documents count for nothing", () => {
  write(`${plain}---\n# nothing\n---\n${plain.replace("scribe", "second")}`, "a.yaml");
  write(plain.replace("scribe", "third"), "b.yml");
  write("no: yaml", "c.txt");
  expect(load(".").map(({ name, source }) => [name, source])).toEqual([
    ["scribe", join(folder, "a.yaml")],
    ["second", join(folder, "a.yaml")],
    ["third", join(folder, "b.yml")],
  ]);
});

test("the recorded source is the same through a symbolic link", () => {
  write(plain, "real.yaml");
  symlinkSync("real.yaml", join(folder, "agent.yaml"));
  expect(load()[0]?.source).toBe(join(folder, "real.yaml"));
});

test("all mistakes come out at once, each with line and column, in the order of the lines", () => {
  expect(
    mistakes(`apiVersion: moorage.dev/v1
kind: Agent
metadata: { name: Scribe }
spec:
  flet: w
  run:
    comand: [node]
  env: { 1A: x, PORT: 8080 }
  drain: 90s
`),
  ).toEqual([
    "1:13 apiVersion: is not a version that this Moorage knows",
    '3:19 metadata.name: "Scribe" has upper case letters',
    "5:3 spec.flet: unknown key",
    "7:5 spec.run.comand: unknown key",
    '8:10 spec.env["1A"]: "1A" is not the name of an environment variable',
    "8:23 spec.env.PORT: is a number in the place of a text",
    "9:10 spec.drain: grace (1m) is not more than drain (1m 30s)",
  ]);
});

test("an unknown key tells the one that was meant, or where it belongs", () => {
  write(`${plain}  flet: w\n  command: [x]\n  replicas: 2\n`);
  const told = errorOf().details["mistakes"] as Mistake[];
  expect(told.map(({ hint }) => hint)).toEqual([
    "did you mean fleet?",
    "it belongs in spec.run.command",
    expect.stringMatching(/^it knows: fleet, identity, run/),
  ]);
});

test("a bad third document does not hide behind two good ones, and the good ones are not taken", () => {
  expect(
    mistakes(`${plain}---\n${plain.replace("scribe", "b")}---\n${plain.replace("scribe", "c").replace("kind", "knd")}`),
  ).toEqual(["13:1 kind: is missing", "14:1 knd: unknown key"]);
});

test("a syntax mistake in one document does not hide the mistakes of another", () => {
  expect(mistakes(`a: [1\n---\n${plain.replace("command", "comand")}`)).toEqual(
    [
      expect.stringContaining("is not YAML"),
      expect.stringMatching(/has no command|unknown key/),
      expect.stringMatching(/has no command|unknown key/),
    ].slice(0, 2),
  );
});

test("a name that is declared twice is told at the second place", () => {
  expect(mistakes(`${plain}---\n${plain}`)).toEqual([
    `9:19 metadata.name: "scribe" is declared already, at agent.yaml:3`,
  ]);
});

test.each([
  ["duplicate key", `${plain}  drain: 1s\n  drain: 2s\n`, "7:3 : the key drain is there twice"],
  ["tab", "a:\n\tb: c", "2:1 : is indented with a tab, which YAML does not allow"],
  ["tag", `${plain}  drain: !later 5s\n`, "has a tag"],
  ["text", "hello", "1:1 : is a text in the place of keys and values"],
  ["list", "- a", "1:1 : is a list in the place of keys and values"],
  ["nothing", "", "1:1 : declares nothing"],
  ["comments", "# a\n---\n# b\n", "1:1 : declares nothing"],
  ["merge key", `${plain}  <<: { drain: 1s }\n`, 'spec["<<"]: unknown key'],
  ["prototype", `${plain}  __proto__: { drain: 1s }\n`, "spec.__proto__: unknown key"],
  ["command as text", plain.replace('[sleep, "1"]', "sleep 1"), "spec.run.command: is a text in the place of a list"],
  ["number as duration", `${plain}  drain: 5\n`, '"5" has no unit'],
  ["zero as duration", `${plain}  drain: 0\n`, "0 is no duration"],
  ["NUL", `${plain}  env: { A: "x\\0y" }\n`, "NUL"],
  ["long value", `${plain}  env: { A: ${"x".repeat(200_000)} }\n`, "200002 bytes"],
  [
    "key in both",
    `${plain}  env: { A: x }\n  secretEnv: { A: { env: B } }\n`,
    "7:16 spec.secretEnv.A: A is in env too",
  ],
  ["both sources", `${plain}  secretEnv: { A: { env: B, file: c } }\n`, "has env and file at once"],
  ["no source", `${plain}  secretEnv: { A: {} }\n`, "has none of: env, file"],
  ["own variable", `${plain}  env: { MOORAGE_X: y }\n`, "set by Moorage itself"],
  [
    "idle without harness",
    `${plain.replace("run: {", 'run: { image: "a@sha256:0",')}  idle: 2h\n`,
    "this image has no harness",
  ],
  ["no command", plain.replace('{ command: [sleep, "1"] }', '{ image: "a@sha256:0" }'), "spec.run: has no command"],
  ["empty command", plain.replace('[sleep, "1"]', "[]"), "spec.run.command: the list is empty"],
  ["age without file", `${plain}  health: { socket: true, maxAge: 5s }\n`, "only the health of a file has an age"],
  ["health word", `${plain}  health: nne\n`, '"nne" is not one of its words'],
  ["catalog key", `${plain}  catalog: { path: c, tral: {} }\n`, "spec.catalog.tral: unknown key"],
  [
    "trial of no turns",
    `${plain}  catalog: { path: c, trial: { turns: 0 } }\n`,
    "spec.catalog.trial.turns: is no count",
  ],
  [
    "trial of a text",
    `${plain}  catalog: { path: c, trial: { turns: "2" } }\n`,
    "spec.catalog.trial.turns: is no count",
  ],
  ["bake of nothing", `${plain}  catalog: { path: c, trial: { bake: 0s } }\n`, "0s is no duration"],
  ["catalog name", `${plain}  catalog: { path: c, name: ../up }\n`, 'no catalog can be called "../up"'],
  ["folder of an odd name", `${plain}  catalog: ./My_Prompts\n`, "6:12 spec.catalog: the folder's name cannot be"],
  ["folder in capitals", `${plain}  catalog: { path: Prompts }\n`, "spec.catalog.path: the folder's name cannot be"],
  ["catalog without path", `${plain}  catalog: { signal: SIGHUP }\n`, "spec.catalog.path: is missing"],
])("%s is told where it stands", (_name, text, expected) => {
  expect(mistakes(text)).toEqual([expect.stringContaining(expected)]);
});

test("a catalog in one word takes its folder's name and the usual trial; an odd folder can be named", () => {
  write(`${plain}  catalog: ./prompts/\n`);
  const usual = { signal: null, name: "prompts", trial: { turns: 1, bakeMs: 10_000 } };
  expect(load().map(({ catalog }) => catalog)).toEqual([{ path: join(folder, "prompts"), ...usual }]);
  write(`${plain}  catalog: { path: prompts, trial: { bake: none } }\n`);
  expect(load()[0]?.catalog?.trial).toEqual({ turns: 1, bakeMs: 0 });
  write(`${plain}  catalog: { path: My_Prompts, name: prompts }\n`);
  expect(load().map(({ catalog }) => catalog)).toEqual([{ path: join(folder, "My_Prompts"), ...usual }]);
});

test("agents of a fleet share a folder under its name; two folders under one name are refused where the second stands", () => {
  const agent = (name: string, spec: string): string => `${plain.replace("scribe", name)}  ${spec}\n---\n`;
  write(agent("a", "fleet: w\n  catalog: ./c") + agent("b", "fleet: w\n  catalog: c/") + agent("d", "catalog: x/c"));
  expect(load()).toHaveLength(3);
  expect(mistakes(agent("a", "fleet: w\n  catalog: ./c") + agent("b", "fleet: w\n  catalog: x/c"))).toEqual([
    expect.stringMatching(/^15:12 spec.catalog: in the fleet w the catalog c is another folder already: .*\/c, of a$/),
  ]);
});

test("an alias bomb is refused at once", () => {
  const letters = [..."bcdefghij"];
  const bomb = [
    "a: &a [x,x,x,x,x,x,x,x,x]",
    ...letters.map((letter, at) => `${letter}: &${letter} [${`*${at === 0 ? "a" : letters[at - 1]},`.repeat(9)}]`),
  ];
  const began = performance.now();
  expect(mistakes(bomb.join("\n"))).toEqual([expect.stringContaining("aliases expand")]);
  expect(performance.now() - began).toBeLessThan(2_000);
});

test("an alias that shares a block is fine", () => {
  write(
    plain.replace("spec:\n", "spec:\n  env: &e { A: x }\n") +
      "---\n" +
      `${plain.replace("scribe", "b")}  env: { A: y }\n`,
  );
  expect(load().map(({ env }) => env)).toEqual([{ A: "x" }, { A: "y" }]);
});

const files: readonly (readonly [string, () => void, string])[] = [
  ["missing", () => undefined, "declarationMissing"],
  ["a folder without any", () => mkdirSync(join(folder, "agent.yaml")), "declarationUnreadable"],
  ["a pipe", () => void execFileSync("mkfifo", [join(folder, "agent.yaml")]), "declarationUnreadable"],
  ["not UTF-8", () => write(Buffer.from([0xff, 0xfe, 0x41])), "declarationUnreadable"],
  ["huge", () => write(Buffer.alloc(1024 * 1024 + 1, 0x20)), "declarationUnreadable"],
  ["a link to itself", () => symlinkSync("agent.yaml", join(folder, "agent.yaml")), "declarationUnreadable"],
];

test.each(files)("a file that is %s is refused by name", (_name, make, code) => {
  make();
  expect(errorOf()).toMatchObject({ code, message: expect.stringContaining("agent.yaml") as string });
});

test("a declaration with a byte order mark and Windows line ends is read", () => {
  write(`\ufeff${plain.replaceAll("\n", "\r\n")}`);
  expect(load()).toHaveLength(1);
});

test("for a command that only needs names, an agent of a cluster needs no command", () => {
  write(plain.replace('{ command: [sleep, "1"] }', '{ image: "a@sha256:0" }'));
  expect(loadDeclaration("agent.yaml", { cwd: folder, target: null })).toMatchObject([{ command: [] }]);
});
