// How it ends: at a signal, with whoever reads gone, and with a reader that is late.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, openSync, readFileSync, readSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { until } from "../machine/until.ts";
import { type ApiServer, answerJson, openApiServer, writeKubeconfig } from "./api-server.ts";
import { type Desktop, type Ended, openDesktop, type Running, refusalOf } from "./desktop.ts";
import { deployRequest, secretValues } from "./request.ts";

let desktop: Desktop;
let silent: ApiServer;
beforeAll(async () => {
  desktop = await openDesktop();
});
afterAll(() => desktop.close());
beforeEach(async () => {
  silent = await openApiServer(null);
  writeKubeconfig(desktop.home, silent.address);
});
afterEach(() => silent.close());

/** A deploy that waits for an answer which never comes. */
async function waiting(): Promise<Running> {
  const running = desktop.start();
  running.stdin.end(JSON.stringify(deployRequest()));
  await until("the server is asked", () => silent.asked.length > 0);
  return running;
}

test("a signal in the middle of a deploy is answered, though the server never does", async () => {
  const signals = ["SIGTERM", "SIGINT", "SIGHUP"] as const;
  const errors = signals.map(async (signal) => {
    const running = desktop.start();
    running.stdin.end(JSON.stringify(deployRequest()));
    await until("the servers are asked", () => silent.asked.length === signals.length);
    running.kill(signal);
    return refusalOf(await running.ended, secretValues);
  });
  for (const error of await Promise.all(errors)) expect(error).toMatch(/interrupted.*what was started goes on/);
});

test("however many signals come, there is the one answer", async () => {
  const running = await waiting();
  let ended: Ended | null = null;
  void running.ended.then((end) => {
    ended = end;
  });
  await until("it has ended", () => {
    if (ended === null) for (const signal of ["SIGTERM", "SIGINT"] as const) running.kill(signal);
    return ended;
  });
  const { code, stdout, stderr } = await running.ended;
  expect(code).toBe(0);
  expect(JSON.parse(stdout.toString())).toMatchObject({ ok: false, error: expect.stringContaining("goes on") });
  expect(stderr).not.toMatch(/\n\s+at /);
});

test.each([
  ["a form", { op: "info" }],
  ["a refusal", deployRequest({ config: { namespace: "Not One" } })],
])("with nobody left who would read %s it ends with a code of its own, and quietly", async (_what, request) => {
  const running = desktop.start();
  running.stdout.destroy();
  running.stdin.end(JSON.stringify(request));
  const ended = await running.ended;
  expect(ended).toMatchObject({ code: 1, signal: null, stderr: "" });
});

test("with standard error closed there is an answer all the same", async () => {
  const running = await waiting();
  running.stderr.destroy();
  running.kill("SIGTERM");
  expect(refusalOf(await running.ended, secretValues)).toContain("interrupted");
});

test("started without standard error it answers", () => {
  expect(throughShell("2>&-", '{"op":"info"}')).toMatchObject({ code: 0, out: expect.stringMatching(/^{"ok":true/) });
});

test("onto a full disk it ends with a code of its own, and quietly", () => {
  expect(throughShell(">/dev/full", '{"op":"info"}')).toEqual({ code: 1, out: "", errors: "" });
});

test("an unreadable input is answered", () => {
  const { code, out } = throughShell("</", "");
  expect({ code, answer: JSON.parse(out) as unknown }).toMatchObject({ code: 0, answer: { ok: false } });
});

test.each([
  ["waits", constants.O_RDWR],
  ["does not wait", constants.O_RDWR | constants.O_NONBLOCK],
])("a pipe that is full and %s holds nothing back from a reader that is late", async (_what, flags) => {
  const path = join(desktop.elsewhere, "pipe");
  spawnSync("mkfifo", [path]);
  const file = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  const filled = fill(file);
  // What the child is given has its own way of waiting.
  const output = openSync(path, flags);
  const child = spawn("/bin/sh", ["-c", 'exec "$0" "$1" >&3', process.execPath, desktop.program], {
    env: desktop.env,
    cwd: desktop.elsewhere,
    stdio: ["pipe", "pipe", "pipe", output],
  });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  child.stdin?.end('{"op":"info"}');
  await until("it has all of the request", () => child.exitCode !== null || catchesHangup(child.pid ?? 0));
  let read = "";
  const buffer = Buffer.alloc(65_536);
  await until("all is read", () => {
    try {
      for (;;) read += buffer.toString("latin1", 0, readSync(file, buffer));
    } catch (error) {
      expect(error).toMatchObject({ code: "EAGAIN" });
    }
    return child.exitCode !== null && read.length > filled;
  });
  expect(await ended).toBe(0);
  expect(JSON.parse(read.slice(filled))).toMatchObject({ ok: true });
  for (const one of [file, output]) closeSync(one);
  rmSync(path);
});

test("a standard error that is full and does not wait keeps no answer back", async () => {
  // There is something to tell.
  const busy = await openApiServer((_request, _body, response) => answerJson(response, 429, { kind: "Status" }));
  writeKubeconfig(desktop.home, busy.address);
  const path = join(desktop.elsewhere, "told");
  spawnSync("mkfifo", [path]);
  const file = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  fill(file);
  const child = spawn("/bin/sh", ["-c", 'exec "$0" "$1" 2>&3', process.execPath, desktop.program], {
    env: desktop.env,
    cwd: desktop.elsewhere,
    stdio: ["pipe", "pipe", "ignore", file],
  });
  const ended = once(child, "close");
  let read = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => void (read += text));
  child.stdin?.end(JSON.stringify(deployRequest()));
  await until("the server is asked again", () => busy.asked.length > 1);
  child.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
  expect(JSON.parse(read)).toMatchObject({ ok: false, error: expect.stringContaining("interrupted") });
  closeSync(file);
  rmSync(path);
  await busy.close();
});

/** Writes until nothing more fits; how much that was. */
function fill(file: number): number {
  let filled = 0;
  try {
    for (;;) filled += writeSync(file, " ".repeat(4096));
  } catch (error) {
    expect(error).toMatchObject({ code: "EAGAIN" });
  }
  return filled;
}

/** Whether it is past the reading of its request, from when on it catches SIGHUP. Where there is no /proc, nobody knows. */
function catchesHangup(pid: number): boolean {
  if (process.platform !== "linux") return true;
  const caught = /^SigCgt:\s*([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? "0";
  return (BigInt(`0x${caught}`) & 1n) === 1n;
}

interface ShellEnd {
  readonly code: number | null;
  readonly out: string;
  readonly errors: string;
}

/** Started with a redirection that a shell makes. */
function throughShell(redirection: string, input: string): ShellEnd {
  const { status, stdout, stderr } = spawnSync(
    "/bin/sh",
    ["-c", `exec "$0" "$1" ${redirection}`, process.execPath, desktop.program],
    { env: desktop.env, cwd: desktop.elsewhere, input, encoding: "utf8" },
  );
  return { code: status, out: stdout, errors: stderr };
}
