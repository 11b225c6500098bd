/** The command as a person runs it: the two minutes of the contract, and what must hold around them. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "vitest";
import { Place } from "./place.ts";
import { until } from "./until.ts";

const quick = "drain: 1s\ngrace: 2s\n";

describe.concurrent("a person", () => {
  it("has a working agent in two minutes: init, deploy, deploy, status, logs, stop", async ({ expect }) => {
    await using place = new Place();
    expect(await place.run(["init", "scribe"])).toMatchObject({ exit: 0 });
    expect(readFileSync(join(place.dir, "agent.yaml"), "utf8")).toMatch(
      /^# yaml-language-server: \$schema=\.\/agent\.schema\.json\n/,
    );
    expect(JSON.parse(readFileSync(join(place.dir, "agent.schema.json"), "utf8"))).toHaveProperty("properties.spec");
    const first = await place.deployDeclared();
    expect(first).toMatchObject({ agent: "scribe", outcome: "started" });
    const { pid } = await place.status("scribe");
    await until("the last summary", () => existsSync(join(place.dir, "texts", "tides.summary.md")));
    const second = await place.askOne(["deploy"]);
    expect(second).toMatchObject({ exit: 0, outcome: "alreadyRunning", intent: "current", attempt: first.attempt });
    const status = await place.status("scribe");
    expect(status).toMatchObject({ state: "running", pid });
    expect(status.turn).not.toBeNull();
    const logs = await place.run(["logs", "scribe"]);
    expect(logs.stdout).toContain("tides.txt: 2 sentences");
    const stopped = await place.run(["stop", "scribe"]);
    expect(stopped).toMatchObject({ exit: 0 });
    expect(stopped.stdout).toMatch(/scribe: stopped/);
    await place.atRest();
    expect((await place.run(["logs", "scribe", "--previous"])).stdout).toContain("tides.txt");
  });

  it("finds init refused where anything of it is there already, and nothing written", async ({ expect }) => {
    await using place = new Place();
    place.write("agent.ts", "mine");
    const told = await place.ask(["init"]);
    expect(told).toMatchObject({ exit: 4, code: "wouldOverwrite" });
    expect(readFileSync(join(place.dir, "agent.ts"), "utf8")).toBe("mine");
    expect(existsSync(join(place.dir, "agent.yaml"))).toBe(false);
  });

  it("who mistypes the name of a stop learns it, and nothing else is stopped", async ({ expect }) => {
    await using place = new Place();
    await place.deploy("scribe", "sleep", "600");
    const typo = await place.run(["stop", "scrieb"]);
    expect(typo).toMatchObject({ exit: 0 });
    expect(typo.stdout).toMatch(
      /scrieb: nothing to stop\n.*no agent scrieb is here\n.*did you mean `moorage stop scribe/,
    );
    expect(await place.status("scribe")).toMatchObject({ state: "running" });
  });

  it("sees a dry run change nothing at all, and say what would be done", async ({ expect }) => {
    await using place = new Place();
    place.declare("a", `run: { command: [sleep, "600"] }\n${quick}`);
    const before = await place.run(["deploy", "--dry-run"]);
    expect(before).toMatchObject({ exit: 0 });
    expect(before.stdout).toContain("no instance has this identity (rule 1)");
    expect(existsSync(place.state)).toBe(false);
    await place.deployDeclared();
    const running = await place.run(["deploy", "--dry-run"]);
    expect(running.stdout).toContain("would change nothing");
  });

  it("edits and restarts: one stop, one start, the new intent; an edit and a deploy touch nothing", async ({
    expect,
  }) => {
    await using place = new Place();
    place.declare("a", `run: { command: [sleep, "600"] }\nenv: { GONE: x }\n${quick}`);
    await place.deployDeclared();
    const { pid } = await place.status("a");
    place.declare("a", `run: { command: [sleep, "601"] }\n${quick}`);
    const deployed = await place.run(["deploy"]);
    expect(deployed).toMatchObject({ exit: 0 });
    expect(deployed.stdout).toContain("moorage restart a");
    expect((await place.status("a")).pid).toBe(pid);
    expect(await place.run(["restart", "a"])).toMatchObject({ exit: 0 });
    const after = await place.status("a");
    expect(after.pid).not.toBe(pid);
    expect(readFileSync(`/proc/${after.pid}/environ`, "utf8")).not.toContain("GONE=");
    expect(await place.askOne(["deploy", "--require-current"])).toMatchObject({ exit: 0, intent: "current" });
    const journal = (await place.run(["journal", "a"])).stdout;
    expect(journal.match(/ a end started/g)).toHaveLength(2);
    expect(journal.match(/ a end stopped/g)).toHaveLength(1);
  });

  it("restarts what was deployed without a file from anywhere", async ({ expect }) => {
    await using place = new Place();
    await place.deploy("a", "sleep", "600");
    const { pid } = await place.status("a");
    expect(await place.run(["restart", "a"], { cwd: "/" })).toMatchObject({ exit: 0 });
    expect((await place.status("a")).pid).not.toBe(pid);
  });

  it("is told that a broken declaration stops no restart half-way: what runs goes on", async ({ expect }) => {
    await using place = new Place();
    place.declare("a", `run: { command: [sleep, "600"] }\n${quick}`);
    await place.deployDeclared();
    const { pid } = await place.status("a");
    place.declare("a", `run: { command: [nothing-of-this-name] }\n${quick}`);
    expect(await place.ask(["restart", "a"])).toMatchObject({ exit: 2, code: "commandUnusable" });
    expect((await place.status("a")).pid).toBe(pid);
  });

  it("deploys a fleet at once; the exit is the first of 1, 2, 4, 5, 3, 0 that occurred", async ({ expect }) => {
    await using place = new Place();
    place.declare("good", `run: { command: [sleep, "600"] }\n${quick}`, "fleet/a.yaml");
    place.declare("bad", `run: { command: ["false"] }\n${quick}`, "fleet/b.yaml");
    const told = await place.ask(["deploy", "--file", "fleet", "--settle", "2s"]);
    expect(told).toMatchObject({ exit: 4, kind: "DeployResult" });
    expect(told.agents.map(({ agent, outcome, condition }) => [agent, outcome, condition?.code])).toEqual([
      ["good", "started", undefined],
      ["bad", "reported", "agentEnded"],
    ]);
    const fleet = await place.run(["status", "--fleet", "--file", "fleet"]);
    expect(fleet.stdout).toContain("fleet good: 1 of 1 running");
  });

  it("sees the end of what an agent wrote when it ends at once", async ({ expect }) => {
    await using place = new Place();
    place.declare("a", `run: { command: [sh, -c, "echo no database >&2; exit 3"] }\n${quick}`);
    const told = await place.run(["deploy", "--settle", "3s"]);
    expect(told).toMatchObject({ exit: 4 });
    expect(told.stdout).toContain("exit code 3");
    expect(told.stdout).toContain("│ no database");
    expect((await place.run(["explain", "a"])).stdout).toContain("│ no database");
  });

  it("interrupts a deploy: exit 130, the last line says that what was started goes on, and it does", async ({
    expect,
  }) => {
    await using place = new Place();
    place.declare("a", `run: { command: [sleep, "600"] }\n${quick}`);
    const call = place.start(["deploy", "--settle", "60s"]);
    await until("the agent to run", async () => (await place.status("a")).state === "running");
    call.child.kill("SIGINT");
    const ended = await call.done;
    expect(ended).toMatchObject({ exit: 130 });
    expect((ended.stdout + ended.stderr).trimEnd().split("\n").at(-1)).toContain("what was started goes on");
    expect((await place.status("a")).state).toBe("running");
  });

  it("follows logs and journal until Ctrl-C", async ({ expect }) => {
    await using place = new Place();
    await place.deploy("a", "sh", "-c", "n=0; while :; do n=$((n+1)); echo line $n; sleep 0.1; done");
    for (const args of [
      ["logs", "a", "-f"],
      ["journal", "a", "-f"],
      ["status", "--watch"],
    ]) {
      const call = place.start(args);
      let seen = "";
      call.child.stdout?.on("data", (chunk: Buffer) => {
        seen += chunk.toString();
      });
      await until(`${args.join(" ")} to tell something`, () => seen.includes(args[0] === "logs" ? "line 20" : "a"));
      call.child.kill("SIGINT");
      expect(await call.done).toMatchObject({ exit: 130 });
    }
  });

  it("pipes into head without a word of complaint", async ({ expect }) => {
    await using place = new Place();
    await place.deploy("a", "sh", "-c", "i=0; while [ $i -lt 5000 ]; do i=$((i+1)); echo $i; done; exec sleep 600");
    await until("all lines", async () => (await place.run(["logs", "a", "--tail", "1"])).stdout === "5000\n");
    const call = place.start(["logs", "a"]);
    call.child.stdout?.once("data", () => call.child.stdout?.destroy());
    const ended = await call.done;
    expect(ended.stderr).toBe("");
    expect(ended.exit).toBe(0);
  });

  it.skipIf(process.platform !== "linux")(
    "redirects an answer to a full disk: exit 1 and the reason, no stack trace, and what was started runs",
    async ({ expect }) => {
      await using place = new Place();
      const full = { within: ["sh", "-c", 'exec "$0" "$@" > /dev/full'] };
      const { exit, stderr } = await place.run(["deploy", "a", "--json", "--", "sleep", "600"], full);
      expect(exit).toBe(1);
      expect(stderr).toContain("could not be written");
      expect(stderr).not.toMatch(/^\s+at /m);
      expect((await place.status("a")).state).toBe("running");
      expect(await place.run(["version"], { ...full, state: false })).toMatchObject({ exit: 1, stderr: "" });
    },
  );

  it("is told when a name runs from another declaration", async ({ expect }) => {
    await using place = new Place();
    place.declare("a", `run: { command: [sleep, "600"] }\n${quick}`, "one/agent.yaml");
    place.declare("a", `run: { command: [sleep, "600"] }\n${quick}`, "two/agent.yaml");
    await place.deployDeclared("--file", "one/agent.yaml");
    const told = await place.askOne(["deploy", "--file", "two/agent.yaml"]);
    expect(told).toMatchObject({ exit: 4, outcome: "alreadyRunning", condition: { code: "otherDeclaration" } });
    expect(told.condition?.message).toContain(join(place.dir, "one/agent.yaml"));
    const { pid } = await place.status("a");
    const restarted = await place.ask(["restart", "a"], { cwd: join(place.dir, "two") });
    expect(restarted).toMatchObject({ exit: 4, code: "otherDeclaration" });
    expect((await place.status("a")).pid).toBe(pid);
    expect(await place.run(["restart", "a", "--file", "two/agent.yaml"])).toMatchObject({ exit: 0 });
    expect((await place.status("a")).source).toBe(join(place.dir, "two/agent.yaml"));
  });

  it("is warned once of proxy and CA variables that are not passed on, and not when they are", async ({ expect }) => {
    await using place = new Place();
    const env = { HTTPS_PROXY: "http://me:hunter2@proxy:1", SSL_CERT_FILE: "/ca.pem", CLAUDECODE: "1" };
    place.declare("a", `run: { command: [sleep, "600"] }\n${quick}`);
    const warned = await place.run(["deploy"], { env });
    expect(warned.stderr.trimEnd().split("\n")).toEqual([
      expect.stringContaining("passEnv: [HTTPS_PROXY, SSL_CERT_FILE]"),
    ]);
    place.declare("a", `run: { command: [sleep, "600"] }\npassEnv: [HTTPS_PROXY, SSL_CERT_FILE, NO_PROXY]\n${quick}`);
    const passed = await place.run(["restart", "a"], { env });
    expect(passed).toMatchObject({ exit: 0, stderr: "" });
    const { pid } = await place.status("a");
    const environ = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
    expect(environ).toContain("HTTPS_PROXY=http://me:hunter2@proxy:1");
    expect(environ.filter((entry) => /^(NO_PROXY|CLAUDECODE)=/.test(entry))).toEqual([]);
    expect((await place.run(["journal"])).stdout).not.toContain("hunter2");
  });

  it("asks keep --install where there is no user manager: exit 4, the reason, the foreground way", async ({
    expect,
  }) => {
    await using place = new Place();
    place.declare("a", `run: { command: [sleep, "600"] }\nrevive: onFailure\n${quick}`);
    const told = await place.ask(["keep", "--install"], {
      env: { DBUS_SESSION_BUS_ADDRESS: "unix:path=/nonexistent", XDG_RUNTIME_DIR: "/nonexistent" },
    });
    expect(told).toMatchObject({ exit: 4, code: "noUserManager" });
    expect(told.hint).toContain(" keep ");
  });
});

describe.concurrent("an agent", () => {
  it("stops and restarts itself: accepted at once, done after the turn, started exactly once", async ({ expect }) => {
    await using place = new Place();
    const [node, script] = [process.execPath, join(import.meta.dirname, "../../packages/cli/bin/moorage.mjs")];
    place.write(
      "agent.sh",
      `#!/bin/sh
echo run >>runs
if [ "$(wc -l <runs)" -eq 1 ]; then
  "${node}" "${script}" restart self >answer; echo "exit $?" >>answer
fi
exec sleep 600
`,
      0o755,
    );
    place.declare("a", `run: { command: [./agent.sh] }\nsecretEnv: { TOKEN: { env: OUTER } }\n${quick}`);
    await place.mustRun(["deploy"], { env: { OUTER: "hunter2hunter2" } });
    const runs = (): number => readFileSync(join(place.dir, "runs"), "utf8").split("\n").length - 1;
    await until("the second run", () => runs() === 2);
    expect(readFileSync(join(place.dir, "answer"), "utf8")).toBe("a: will be restarted after this turn\nexit 0\n");
    await until("it to run", async () => (await place.status("a")).state === "running");
    const { pid } = await place.status("a");
    expect(readFileSync(`/proc/${pid}/environ`, "utf8")).toContain("TOKEN=hunter2hunter2");
    writeFileSync(join(place.dir, "stop.sh"), "");
    const told = await place.askOne(["stop", "a"], {
      env: { MOORAGE_AGENT: "a", MOORAGE_INSTANCE: (await place.status("a")).agentId },
    });
    expect(told).toMatchObject({ exit: 0, outcome: "accepted" });
    await until("its end", async () => (await place.status("a")).state === "absent");
    expect(runs()).toBe(2);
  });
});
