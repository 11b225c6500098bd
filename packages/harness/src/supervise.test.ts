import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { readFacts } from "./facts.ts";
import { alive, Harbour, until } from "./supervise.fixture.ts";

const harbour = new Harbour();
afterEach(async () => await harbour.clear());

const sleeper = "echo up; exec sleep 1000";

describe("a start", () => {
  it("puts the process on record, then running, then its end", async () => {
    const mooring = harbour.moor("read x < gate; exit 7");
    writeFileSync(join(mooring.directory, "gate"), "");
    const ending = await mooring.ended();
    expect(ending).toMatchObject({ reason: "exited", exitCode: 7, signal: null, detail: null });
    expect(mooring.record.written.filter((each) => each !== "running")).toEqual(["spawned", "ended"]);
    expect(mooring.record.ending).toEqual(ending);
  });

  it("is running only when its own program runs", async () => {
    const mooring = harbour.moor(["sleep", "1000"]);
    await mooring.runs();
    const pid = mooring.record.mark?.pid ?? 0;
    expect(readFileSync(`/proc/${pid}/cmdline`, "utf8")).toBe(["sleep", "1000", ""].join("\0"));
    expect(mooring.record.mark).toMatchObject({ group: pid, session: pid, attempt: mooring.spec.attempt });
  });

  it("gives the agent its environment, its folder and no other descriptor", async () => {
    const script = "env; pwd; ls /proc/self/fd; cat /proc/self/cmdline >/dev/null; echo up";
    const mooring = harbour.moor(script, { env: { PATH: "/usr/bin:/bin", KEY: "a b\nc" } });
    await mooring.ended();
    const lines = mooring.output().split("\n");
    const names = lines.filter((line) => /^[A-Z_]+=/.test(line)).map((line) => line.split("=")[0]);
    // The second shell, the agent's own, adds PWD for its children.
    expect(new Set(names.filter((name) => name !== "PWD" && name !== "_"))).toEqual(
      new Set(["KEY", "MOORAGE_ATTEMPT", "MOORAGE_INSTANCE", "MOORAGE_SOCKET", "PATH"]),
    );
    expect(lines).toContain(mooring.directory);
    // What this test itself inherited goes on to every child of it; see inherited-descriptors.test.ts.
    const bare = execFileSync("/bin/sh", ["-c", "ls /proc/self/fd"], { encoding: "utf8" }).trim().split("\n");
    expect(lines.filter((line) => /^\d+$/.test(line))).toEqual(bare);
  });

  it("waits behind the gate until it is on record", async () => {
    const mooring = harbour.moor("echo through");
    mooring.record.answer = { kind: "later", detail: "disk full" };
    await until(
      () => mooring.record.asked >= 3,
      () => "it was tried again and again to put it on record",
    );
    expect(existsSync(join(mooring.directory, "stdout"))).toBe(true);
    expect(mooring.output()).toBe("");
    mooring.record.answer = { kind: "recorded" };
    expect(await mooring.ended()).toMatchObject({ reason: "exited", exitCode: 0 });
    expect(mooring.output()).toBe("through\n");
  });

  it("never lets it through when the instance is not ours", async () => {
    const mooring = harbour.moor("echo through");
    mooring.record.answer = { kind: "notOurs" };
    expect(await mooring.supervision.done).toMatchObject({ kind: "notOurs" });
    expect(mooring.output()).toBe("");
    expect(mooring.record.written).toEqual([]);
  });

  it.each<readonly [string, readonly [string, ...string[]], RegExp]>([
    ["a command that is nowhere", ["no-such-command"], /no-such-command was not found in PATH/],
    ["a folder as a command", ["/tmp"], /is a directory/],
  ])("tells %s in words and spawns nothing", async (_name, command, words) => {
    const mooring = harbour.moor(command);
    expect(await mooring.ended()).toMatchObject({ reason: "notStarted", detail: expect.stringMatching(words) });
    expect(mooring.record.mark).toBeNull();
  });

  it("tells an exec that failed behind the gate in the shell's own words", async () => {
    const directory = mkdtempSync(join(tmpdir(), "program-"));
    try {
      const program = join(directory, "program");
      writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
      const mooring = harbour.moor([program], { args: ["x".repeat(40_000)] });
      mooring.record.answer = { kind: "later", detail: "locked" };
      await until(
        () => existsSync(join(mooring.directory, "stderr")),
        () => "the FIFOs are there",
      );
      // It vanishes between our look and the exec.
      rmSync(program);
      mooring.record.answer = { kind: "recorded" };
      expect(await mooring.ended()).toMatchObject({
        reason: "notStarted",
        exitCode: 127,
        detail: expect.stringMatching(/program.*not found/i),
      });
      expect(mooring.record.written).toEqual(["spawned", "ended"]);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  it("does not take an agent's own exit code 127 for a failed exec", async () => {
    const mooring = harbour.moor("exit 127");
    expect(await mooring.ended()).toMatchObject({ reason: "exited", exitCode: 127 });
  });

  it("tells a socket that cannot be made, by its path", async () => {
    const mooring = harbour.moor(sleeper, { socketPath: "/proc/no/socket" });
    expect(await mooring.ended()).toMatchObject({
      reason: "notStarted",
      detail: expect.stringContaining("/proc/no/socket cannot be made"),
    });
  });

  it("refuses a grace that is no longer than the drain", () => {
    expect(() => harbour.moor(sleeper, { drainMs: 6_000 })).toThrow(
      "grace (6000 ms) must be more than drain (6000 ms)",
    );
    expect(() => harbour.moor(sleeper, { idleMs: 0 })).toThrow("idle limit of 0");
  });
});

describe("a stop", () => {
  it("before the gate opened leaves nothing and starts nothing", async () => {
    const mooring = harbour.moor("echo through");
    mooring.record.answer = { kind: "later", detail: "locked" };
    await until(
      () => existsSync(join(mooring.directory, "stdout")),
      () => "it is there",
    );
    mooring.supervision.stop(null);
    mooring.record.answer = { kind: "recorded" };
    expect(await mooring.ended()).toMatchObject({ reason: "stopped", detail: "it had not been started" });
    expect(mooring.output()).toBe("");
  });

  it("by the mark in the record takes the same path as a signal", async () => {
    const mooring = harbour.moor(sleeper);
    await mooring.says("up");
    mooring.record.seen = { kind: "ours", stop: { graceMs: null } };
    expect((await mooring.call("POST", "/v1/stop")).status).toBe(202);
    expect(await mooring.ended()).toMatchObject({ reason: "stopped", signal: "SIGTERM", detail: null });
  });

  it("is seen within two looks when nobody pokes", async () => {
    const mooring = harbour.moor(sleeper);
    await mooring.says("up");
    mooring.record.seen = { kind: "ours", stop: { graceMs: null } };
    expect(await mooring.ended()).toMatchObject({ reason: "stopped" });
  });

  it("keeps everything that is printed on SIGTERM", async () => {
    const mooring = harbour.moor(
      `trap 'i=0; while [ $i -lt 1000 ]; do i=$((i+1)); echo "line $i"; done; exit 0' TERM; echo up; while :; do sleep 0.05; done`,
    );
    await mooring.says("up");
    mooring.supervision.stop(null);
    expect(await mooring.ended()).toMatchObject({ reason: "stopped", exitCode: 0 });
    const lines = mooring
      .output()
      .split("\n")
      .filter((line) => line.startsWith("line "));
    expect(lines).toEqual(Array.from({ length: 1000 }, (_, index) => `line ${index + 1}`));
  });

  it("kills what ignores SIGTERM when its grace is over, not before", async () => {
    const mooring = harbour.moor("trap '' TERM; echo up; while :; do sleep 0.05; done", { drainMs: 100, graceMs: 700 });
    await mooring.says("up");
    const began = performance.now();
    mooring.supervision.stop(null);
    const ending = await mooring.ended();
    expect(ending).toMatchObject({ reason: "stopped", signal: "SIGKILL", detail: expect.stringContaining("killed") });
    expect(performance.now() - began).toBeGreaterThan(650);
  });

  it("of a person shortens the grace, and a second stop changes nothing else", async () => {
    const mooring = harbour.moor("trap 'echo term' TERM; echo up; while :; do sleep 0.05; done", {
      drainMs: 60_000,
      graceMs: 120_000,
    });
    await mooring.says("up");
    mooring.supervision.stop(null);
    mooring.supervision.stop(null);
    await mooring.says("term");
    mooring.supervision.stop(300);
    expect(await mooring.ended()).toMatchObject({ reason: "stopped", signal: "SIGKILL" });
    expect(mooring.output().match(/term/g)).toHaveLength(1);
  });

  it("wakes a stopped agent, which then ends by itself", async () => {
    const mooring = harbour.moor("trap 'echo bye; exit 0' TERM; echo up; while :; do sleep 0.05; done");
    await mooring.says("up");
    process.kill(-(mooring.record.mark?.pid ?? 0), "SIGSTOP");
    mooring.supervision.stop(null);
    expect(await mooring.ended()).toMatchObject({ reason: "stopped", exitCode: 0 });
    expect(mooring.output()).toContain("bye");
  });

  it("ends a whole tree of shells", async () => {
    const mooring = harbour.moor(`sh -c 'sleep 1001 & echo "pid $!"; sh -c "sleep 1002; true"; true'`);
    await mooring.says("pid ");
    const pid = Number(/pid (\d+)/.exec(mooring.output())?.[1]);
    mooring.supervision.stop(null);
    await mooring.ended();
    expect(await alive(pid)).toBe(false);
  });

  it("is over only when a member that ignores SIGTERM is gone, and the rest gets SIGKILL at grace", async () => {
    const mooring = harbour.moor(
      `sh -c 'trap "" TERM; echo "pid $$"; while :; do sleep 0.05; done' & trap 'exit 0' TERM; wait`,
      { drainMs: 100, graceMs: 800 },
    );
    await mooring.says("pid ");
    const pid = Number(/pid (\d+)/.exec(mooring.output())?.[1]);
    mooring.supervision.stop(null);
    expect(await mooring.ended()).toMatchObject({
      reason: "stopped",
      exitCode: 0,
      detail: expect.stringContaining("killed"),
    });
    expect(await alive(pid)).toBe(false);
  });

  it.skipIf(process.platform !== "linux")("ends children in sessions of their own", async () => {
    const mooring = harbour.moor(
      `setsid sh -c 'echo "one $$"; exec sleep 1003' & env -i setsid sh -c 'sleep 1004 & echo "two $!"'; exec sleep 1005`,
    );
    await mooring.says("one ");
    await mooring.says("two ");
    mooring.supervision.stop(null);
    await mooring.ended();
    for (const [, pid] of mooring.output().matchAll(/(?:one|two) (\d+)/g)) expect(await alive(Number(pid))).toBe(false);
  });
});

describe("an end by itself", () => {
  it("ends what it left as well", async () => {
    const mooring = harbour.moor(`sleep 1006 & echo "pid $!"; exit 3`);
    expect(await mooring.ended()).toMatchObject({ reason: "exited", exitCode: 3, detail: null });
    const pid = Number(/pid (\d+)/.exec(mooring.output())?.[1]);
    expect(await alive(pid)).toBe(false);
  });

  it("by a signal is told as that", async () => {
    const mooring = harbour.moor("echo up; kill -SEGV $$");
    expect(await mooring.ended()).toMatchObject({ reason: "signaled", signal: "SIGSEGV", exitCode: null });
  });

  it("in the middle of a turn names the turn that is lost, for whoever looks later too", async () => {
    const mooring = harbour.moor("echo up; while [ ! -e die ]; do sleep 0.02; done; exit 9");
    await mooring.says("up");
    expect(await mooring.call("POST", "/v1/turns")).toEqual({
      status: 201,
      body: { id: "t1", catalog: null, catalogHash: null },
    });
    writeFileSync(join(mooring.directory, "die"), "");
    const ending = await mooring.ended();
    expect(ending).toMatchObject({ reason: "exited", exitCode: 9 });
    expect(ending.detail).toMatch(/^turn t1 \(\d+(\.\d)? s after it began\) was lost$/);
    expect(readFacts(mooring.spec.factsPath)).toMatchObject({ inFlight: 1, oldest: [{ id: "t1" }] });
  });

  it("leaves no socket", async () => {
    const mooring = harbour.moor("exit 0");
    await mooring.ended();
    expect(existsSync(mooring.spec.socketPath)).toBe(false);
  });
});

describe("an instance that is no longer ours", () => {
  it("ends its agent when its state was deleted, and records nothing", async () => {
    const mooring = harbour.moor(sleeper);
    await mooring.says("up");
    const pid = mooring.record.mark?.pid ?? 0;
    rmSync(mooring.directory, { recursive: true });
    mooring.record.seen = { kind: "gone", detail: "the state directory was deleted" };
    expect(await mooring.supervision.done).toEqual({ kind: "notOurs", detail: "the state directory was deleted" });
    expect(await alive(pid)).toBe(false);
    expect(mooring.record.ending).toBeNull();
  });

  it("is not concluded from a record that cannot be read now", async () => {
    const mooring = harbour.moor(sleeper);
    await mooring.says("up");
    mooring.record.seen = { kind: "unreadable", detail: "locked" };
    mooring.supervision.poke();
    expect(await alive(mooring.record.mark?.pid ?? 0)).toBe(true);
  });

  it("goes on recording when there is space again", async () => {
    const mooring = harbour.moor(sleeper);
    await mooring.runs();
    mooring.record.answer = { kind: "later", detail: "disk full" };
    mooring.supervision.stop(null);
    await until(
      () => !existsSync(mooring.spec.socketPath),
      () => "the agent is gone",
    );
    expect(mooring.record.ending).toBeNull();
    mooring.record.answer = { kind: "recorded" };
    expect(await mooring.ended()).toMatchObject({ reason: "stopped" });
    expect(mooring.record.ending).toMatchObject({ reason: "stopped" });
    expect(readFacts(mooring.spec.factsPath)).not.toBeNull();
  });
});
