import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commandHere } from "../run.fixture.ts";
import { agentDocument, json, lastSeen, settled, started, until, writePrompt } from "./update.fixture.ts";

test("going back is the old content under a new sequence, and both numbers are told", async () => {
  await using here = commandHere();
  await started(here, [agentDocument("scribe")]);
  await settled(here, "scribe");
  expect(await here.run(["update", "rollback"])).toMatchObject({
    exit: 4,
    stderr: expect.stringContaining("nothing was published before it") as string,
  });
  writePrompt(here, "be brief");
  expect(await here.run(["update", "apply"])).toMatchObject({ exit: 0 });
  const back = await here.run(["update", "rollback"]);
  expect(back).toMatchObject({
    exit: 0,
    stdout: expect.stringContaining("from 2 back to the content of 1, published as 3") as string,
  });
  expect(lastSeen(here, "scribe").prompt).toBe("be kind");
  expect(await here.run(["update", "rollback", "--to", "9"])).toMatchObject({
    exit: 4,
    stderr: expect.stringContaining("has no number 9") as string,
  });
  expect(await here.run(["update", "rollback", "--to", "2"])).toMatchObject({ exit: 0 });
  expect(lastSeen(here, "scribe").prompt).toBe("be brief");
});

test("going back passes over what failed here and what is in use anyway, and says so", async () => {
  await using here = commandHere();
  await started(here, [agentDocument("scribe")]);
  await settled(here, "scribe");
  writePrompt(here, "be brief");
  expect(await here.run(["update", "apply"])).toMatchObject({ exit: 0 });
  writePrompt(here, "crash");
  expect(await here.run(["update", "apply"])).toMatchObject({ exit: 4 });
  writePrompt(here, "be brief");
  const same = await here.run(["update", "apply"]);
  expect(same).toMatchObject({ exit: 0 });
  expect(same.stdout).toMatch(/^scribe: 4 \([0-9a-f]{8}\) in use already, and acknowledged$/m);
  const shown = await here.run(["bundle", "show"]);
  expect(shown.stdout).toMatch(/^ {2}4 .*published last, given to the fleet, confirmed; in use by scribe$/m);
  expect(shown.stdout).toMatch(/^ {2}3 .*Z +failed with scribe$/m);
  expect(shown.stdout).toMatch(/^ {2}2 .*Z +confirmed$/m);
  expect((await json(here, ["bundle", "show"], "BundleList")).exit).toBe(0);
  const named = await here.run(["update", "rollback", "--to", "3"]);
  expect(named).toMatchObject({ exit: 4, stdout: "" });
  expect(named.stderr).toMatch(/number 3 would not be taken: scribe: brought back.*nothing was published/);
  expect(named.stderr).toContain("moorage mailbox");
  const back = await here.run(["update", "rollback"]);
  expect(back).toMatchObject({ exit: 0 });
  expect(back.stdout).toMatch(/3 is passed over: scribe: brought back.*held back until/);
  expect(back.stdout).toContain("2 is passed over: its content is in use");
  expect(back.stdout).toContain("from 4 back to the content of 1, published as 5");
  expect(lastSeen(here, "scribe").prompt).toBe("be kind");
});

test("a new build waits for the next start, or for the idle moment if that is asked for", async () => {
  await using here = commandHere();
  await started(here, [agentDocument("scribe"), agentDocument("editor")]);
  await settled(here, "scribe", "editor");
  const before = [lastSeen(here, "scribe").pid, lastSeen(here, "editor").pid];
  appendFileSync(join(here.folder, "agent.mts"), "// another build\n");
  expect((await json(here, ["update", "plan"], "UpdatePlan")).all).toMatchObject([
    { agents: [{ release: { tier: "warm" }, effect: "new build", when: "next start" }, {}] },
  ]);
  const applied = await here.run(["update", "apply"]);
  expect(applied).toMatchObject({
    exit: 0,
    stdout: expect.stringContaining("its new build comes at its next start") as string,
  });
  expect((await here.run(["status", "--fleet"])).stdout).toMatch(/runs build [0-9a-f]{8}, next start [0-9a-f]{8}/);
  expect([lastSeen(here, "scribe").pid, lastSeen(here, "editor").pid]).toEqual(before);

  const restarted = await json(here, ["update", "apply", "--when-idle"], "UpdateResult");
  expect(restarted).toMatchObject({
    exit: 0,
    all: [
      {
        restarts: [
          { agent: "scribe", outcome: "restarted" },
          { agent: "editor", outcome: "restarted" },
        ],
      },
    ],
  });
  await until("both are others", () =>
    [lastSeen(here, "scribe").pid, lastSeen(here, "editor").pid].every((pid) => !before.includes(pid)),
  );
});

test("a build that breaks at once takes down the first agent alone, and that is told", async () => {
  await using here = commandHere();
  await started(here, [agentDocument("scribe"), agentDocument("editor")]);
  await settled(here, "scribe", "editor");
  const { pid } = lastSeen(here, "editor");
  const broken = readFileSync(join(here.folder, "agent.mts"), "utf8").replace("await connect", "await broken");
  writeFileSync(join(here.folder, "agent.mts"), broken);
  const applied = await here.run(["update", "apply", "--when-idle"]);
  expect(applied.exit).not.toBe(0);
  expect(applied.stdout).toContain("scribe: not running");
  expect(applied.stdout).toContain("ReferenceError: broken is not defined");
  expect(applied.stdout).toContain("editor: goes on with the build that it has");
  expect((await json(here, ["status"], "StatusResult")).all).toMatchObject([
    { agents: expect.arrayContaining([expect.objectContaining({ agent: "editor", state: "running" })]) as object[] },
  ]);
  expect(lastSeen(here, "editor").pid).toBe(pid);
});

test("a watch applies at every save, tells what is broken and goes on", async () => {
  await using here = commandHere();
  await started(here, [agentDocument("scribe")]);
  await settled(here, "scribe");
  const stop = new AbortController();
  let told = "";
  const watch = here.run(["update", "watch", "--json"], {
    interrupt: stop.signal,
    onOutput: (text) => {
      told += text;
    },
  });
  await until("it watches", () => told.includes("UpdateResult"));
  writePrompt(here, "be brief");
  await until("it is applied", () => told.includes('"outcome":"confirmed"'));
  expect(lastSeen(here, "scribe").prompt).toBe("be brief");
  writePrompt(here, "AKIAIOSFODNN7EXAMPLE");
  await until("what is broken is told", () => told.includes("system.md:1") && told.includes('"kind":"Error"'));
  writePrompt(here, "be bold");
  await until("it goes on", () => lastSeen(here, "scribe").prompt === "be bold");
  stop.abort();
  const ended = await watch;
  expect(ended.exit).toBe(130);
  expect(ended.stdout + ended.stderr).not.toContain("AKIAIOSFODNN7EXAMPLE");
});
