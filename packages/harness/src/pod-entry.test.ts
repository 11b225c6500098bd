import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readFacts } from "./facts.ts";
import { alive, until } from "./supervise.fixture.ts";

const entry = join(import.meta.dirname, "pod-entry.ts");
const sdk = pathToFileURL(join(import.meta.dirname, "../../agent/src/index.ts")).href;

let directory: string;
let running: ChildProcess[];

beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "p-")));
  running = [];
});
afterEach(() => {
  for (const child of running) child.kill("SIGKILL");
  rmSync(directory, { recursive: true });
});

/** The harness of a pod with this command, as its container would have it. */
function pod(command: readonly string[], differences: Readonly<Record<string, string>> = {}) {
  const env = {
    PATH: process.env["PATH"] ?? "/usr/bin:/bin",
    TMPDIR: directory,
    MOORAGE_COMMAND: JSON.stringify(command),
    MOORAGE_DRAIN_MS: "5000",
    MOORAGE_GRACE_MS: "10000",
    MOORAGE_HEALTH: '{"kind":"none"}',
    MOORAGE_AGENT: "scribe",
    MOORAGE_INSTANCE: "moorage-test",
    MOORAGE_ATTEMPT: directory.slice(-6),
    MOORAGE_WORKSPACE: directory,
    ...differences,
  };
  const child = spawn(process.execPath, [entry], { cwd: directory, env, stdio: ["ignore", "pipe", "pipe"] });
  running.push(child);
  const said = { out: "", err: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (said.out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said.err += text));
  const code = new Promise<number | null>((resolve) => child.once("close", resolve));
  const says = async (text: string): Promise<void> =>
    await until(
      () => said.out.includes(text),
      () => `it says ${text}: ${said.out}${said.err}`,
    );
  return { said, code, says, stop: () => child.kill("SIGTERM") };
}

function sh(script: string): string[] {
  return ["/bin/sh", "-c", script];
}

it("hands output and exit code on as they are, with lines of its own beside", async () => {
  const { said, code } = pod(sh("printf 'one\\ntwo'; echo three >&2; exit 3"));
  expect(await code).toBe(3);
  expect(said.out).toBe("one\ntwo");
  const lines = said.err.trimEnd().split("\n");
  expect(lines.filter((line) => !line.startsWith("moorage: "))).toEqual(["three"]);
  expect(lines.at(-1)).toBe("moorage: scribe has ended: exit code 3");
});

it("an agent that dies by a signal gives 128 and its number", async () => {
  expect(await pod(sh("kill -SEGV $$")).code).toBe(128 + constants.signals.SIGSEGV);
});

it("a turn in flight is waited for at SIGTERM, and the end is a good one", async () => {
  const agent = join(directory, "agent.mjs");
  const done = join(directory, "done");
  writeFileSync(
    agent,
    `import { connect } from ${JSON.stringify(sdk)};
     import { existsSync } from "node:fs";
     import { setTimeout } from "node:timers/promises";
     // It goes by the drain: SIGTERM comes as soon as its turn is told as over.
     process.on("SIGTERM", () => undefined);
     const agent = await connect();
     await agent.turn(async () => {
       console.log("in its turn");
       while (!existsSync(${JSON.stringify(done)})) await setTimeout(10);
     });
     await agent.turn(() => console.log("another turn")).catch(({ code }) => console.log("refused: " + code));`,
  );
  const { said, code, says, stop } = pod(["node", agent]);
  await says("in its turn");
  stop();
  await until(
    () => said.err.includes("a turn has up to 5 s"),
    () => said.err,
  );
  writeFileSync(done, "");
  expect(await code).toBe(0);
  expect(said.out).toBe("in its turn\nrefused: draining\n");
  expect(said.err).toContain("moorage: scribe has ended: stopped on request\n");
});

it("what ignores SIGTERM, and what its leader left in the group, is killed within the grace", async () => {
  const script = "trap '' TERM; sleep 1000 & echo $! > left; echo ready; wait";
  const { said, code, says, stop } = pod(sh(script), { MOORAGE_DRAIN_MS: "0", MOORAGE_GRACE_MS: "600" });
  await says("ready");
  stop();
  expect(await code).toBe(137);
  expect(await alive(Number(readFileSync(join(directory, "left"), "utf8")))).toBe(false);
  expect(said.err).toContain("moorage: scribe is killed: something of it did not end within its grace\n");
});

it("a child that outlives its leader is ended", async () => {
  const { code } = pod(sh("sleep 1000 & echo $! > left"));
  expect(await code).toBe(0);
  expect(await alive(Number(readFileSync(join(directory, "left"), "utf8")))).toBe(false);
});

it("an idle limit ends it well", async () => {
  const { said, code } = pod(["sleep", "1000"], { MOORAGE_IDLE_MS: "300" });
  expect(await code).toBe(0);
  expect(said.err).toContain("moorage: scribe has ended: ended at its idle limit\n");
});

it("a health file is where the agent would find it by that name", async () => {
  const files = join(directory, "files");
  mkdirSync(files);
  const health = '{"kind":"file","path":"alive","maxAgeMs":60000}';
  const { says, stop, code } = pod(sh("touch alive; echo ready; exec sleep 1000"), {
    MOORAGE_DIRECTORY: files,
    MOORAGE_HEALTH: health,
  });
  await says("ready");
  const facts = join(directory, `.moorage-${process.getuid?.() ?? 0}`, "facts");
  await until(
    () => readFacts(facts)?.health.kind === "healthy",
    () => "it is healthy",
  );
  stop();
  await code;
});

it("starts the agent where the image has its files, without the harness's own variables", async () => {
  const catalog = join(directory, "catalog");
  const { said, code } = pod(sh(`mkdir -p ${catalog}; pwd; env`), { MOORAGE_DIRECTORY: "/", API_KEY: "planted-value" });
  expect(await code).toBe(0);
  const names = said.out.split("\n").flatMap((line) => /^(MOORAGE_\w+)=/.exec(line)?.[1] ?? []);
  expect(names.sort()).toEqual([
    "MOORAGE_AGENT",
    "MOORAGE_ATTEMPT",
    "MOORAGE_INSTANCE",
    "MOORAGE_SOCKET",
    "MOORAGE_WORKSPACE",
  ]);
  expect(said.out).toContain("API_KEY=planted-value\n");
  expect(said.out.split("\n")[0]).toBe("/");
  expect(said.err).not.toContain("planted-value");
});

it("a setting that is wrong, a folder and a command that are not there are told, and nothing is started", async () => {
  const made = join(directory, "made");
  const wrong = pod(["touch", made], { MOORAGE_GRACE_MS: "soon", MOORAGE_HEALTH: "planted-value" });
  expect(await wrong.code).toBe(78);
  expect(wrong.said.err).toContain("moorage: MOORAGE_GRACE_MS is not a whole number of milliseconds\n");
  expect(wrong.said.err).toContain("moorage: MOORAGE_HEALTH is none of ");
  expect(wrong.said.err).not.toContain("planted-value");
  const missing = pod(["touch", made], { MOORAGE_CATALOG: "/nowhere" });
  expect(await missing.code).toBe(78);
  expect(missing.said.err).toContain("MOORAGE_CATALOG names a folder that the image does not have: /nowhere\n");
  expect(existsSync(made)).toBe(false);
  const absent = pod(["not-a-command"]);
  expect(await absent.code).toBe(78);
  expect(absent.said.err).toContain("the command not-a-command was not found in PATH");
});
