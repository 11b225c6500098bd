import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { commandHere } from "../run.fixture.ts";
import { agentDocument, json, lastSeen, settled, started, until, writeAgents, writePrompt } from "./update.fixture.ts";

// Side by side, as each waits for most of its time: on a busy machine all of them take longer than one alone.
vi.setConfig({ testTimeout: 60_000 });

test.concurrent("an edited prompt is used at the next turn by the same process, and each step is told", async () => {
  await using here = commandHere();
  await started(here, [agentDocument("scribe")]);
  await until("it does turns", () => lastSeen(here, "scribe").prompt === "be kind");
  const { pid } = lastSeen(here, "scribe");
  writePrompt(here, "be brief");

  const plan = await json(here, ["update", "plan"], "UpdatePlan");
  expect(plan).toMatchObject({
    exit: 0,
    all: [
      {
        fleet: "writers",
        agents: [
          {
            agent: "scribe",
            release: { tier: "none" },
            bundle: { tier: "hot" },
            effect: "new catalog",
            when: "next turn",
          },
        ],
        observed: { epoch: 1 },
      },
    ],
  });
  expect(lastSeen(here, "scribe").prompt).toBe("be kind");

  const applied = await here.run(["update", "apply"]);
  expect(applied).toMatchObject({ exit: 0, stderr: "" });
  for (const step of ["built", "signed with the key", "published as 2, on 1", "new catalog", "on trial", "in use"])
    expect(applied.stdout).toContain(step);
  expect(lastSeen(here, "scribe")).toEqual({ pid, prompt: "be brief" });

  expect(await here.run(["update", "apply"])).toMatchObject({
    exit: 0,
    stdout: expect.stringContaining("nothing to do") as string,
  });
  expect((await here.run(["status"])).stdout).toMatch(/scribe +running .* 2 \([0-9a-f]{8}\) /);
  expect((await here.run(["explain", "scribe"])).stdout).toMatch(/catalog 2 \([0-9a-f]{8}\) is in use/);
});

test.concurrent("a plan right after a deploy waits until it is known when the agent takes a bundle up", async () => {
  await using here = commandHere();
  await started(here, [agentDocument("scribe", { env: ', DELAY: "1500"' })]);
  writePrompt(here, "be brief");
  const plan = await json(here, ["update", "plan"], "UpdatePlan");
  expect(plan.all).toMatchObject([{ agents: [{ effect: "new catalog", when: "next turn" }] }]);
});

test.concurrent("P7, P9: what breaks the agent is taken back, is told with the end of its log and without its secrets, and is not offered again", async () => {
  await using here = commandHere();
  const secret = "a-value-that-nobody-may-see";
  const env = { API_KEY: secret };
  await started(here, [agentDocument("scribe", { more: "  secretEnv: { API_KEY: { env: API_KEY } }\n" })], env);
  await settled(here, "scribe");
  writePrompt(here, "tell and crash");
  const applied = await here.run(["update", "apply"], { env });
  expect(applied.exit).toBe(4);
  expect(applied.stdout).toContain("taken back");
  expect(applied.stdout).toContain("no such prompt");
  expect(applied.stdout).not.toContain(secret);
  await until("it works on", () => lastSeen(here, "scribe").prompt === "be kind");

  const again = await here.run(["update", "apply"], { env });
  expect(again).toMatchObject({ exit: 4, stdout: expect.stringContaining("failed here before") as string });
  const status = await here.run(["status"]);
  expect(status.stdout).toMatch(/1 \([0-9a-f]{8}\)/);
  expect(status.stdout).toMatch(/notices? waits?: `moorage mailbox`/);
  const explained = await here.run(["explain", "scribe"], { env });
  expect(explained.stdout).toMatch(/brought back.*held back until/);
  expect(explained.stdout).toContain("moorage update apply");
  const told = await json(here, ["update", "status"], "UpdateStatus");
  expect(told.all).toMatchObject([{ agents: [{ published: 2, delivery: { inUse: { sequence: 1 } } }] }]);
  writePrompt(here, "be brief");
  expect(await here.run(["update", "apply"], { env })).toMatchObject({ exit: 0 });
  await until("the next one is used", () => lastSeen(here, "scribe").prompt === "be brief");
  // Who looks at it later has the values no longer in the environment.
  const mail = await here.run(["mailbox", "list", "--all"]);
  const [, id = ""] = /^([0-9a-f]{4,}) /m.exec(mail.stdout) ?? [];
  const shown = await here.run(["mailbox", "show", id]);
  expect(shown.stdout).toContain("no such prompt");
  const journal = await here.run(["journal"]);
  for (const text of [again, status, explained, mail, shown, journal]) expect(text.stdout).not.toContain(secret);
});

test.concurrent("what breaks an agent with which nothing was confirmed yet is told as its end, with the way to start it again", async () => {
  await using here = commandHere();
  await started(here, [agentDocument("scribe").replace("bake: 1s", "bake: 60s")]);
  await until("it does turns", () => lastSeen(here, "scribe").prompt === "be kind");
  writePrompt(here, "crash");
  const applied = await here.run(["update", "apply"]);
  expect(applied.exit).toBe(4);
  expect(applied.stdout).toContain("failed; the agent has ended with it");
  expect(applied.stdout).toContain("nothing was confirmed before, so there was nothing to come back on");
  expect(applied.stdout).toContain("`moorage update apply`; `moorage deploy scribe` starts it again");
  expect(applied.stdout).not.toMatch(/taken back|goes on with|brought back/);
  // And that is the way.
  writePrompt(here, "be brief");
  expect(await here.run(["update", "apply"])).toMatchObject({ exit: 0 });
  expect(await here.run(["deploy", "scribe"])).toMatchObject({ exit: 0 });
  await until("it runs with the corrected one", () => lastSeen(here, "scribe").prompt === "be brief");
});

test.concurrent('an agent that says "not now" is waited for until the deadline, and it goes on by itself', async () => {
  await using here = commandHere();
  // Between its turns it has the time to answer: a turn that begins before takes what is staged.
  await started(here, [agentDocument("scribe", { env: ', DELAY: "1500", PAUSE: "1500"' })]);
  writePrompt(here, "later");
  // Right after its start it has not shown yet how it takes part.
  expect(await here.run(["update", "apply"])).toMatchObject({ exit: 0 });
  expect(lastSeen(here, "scribe").prompt).toBe("later");
  writePrompt(here, "be brief");
  // It is asked again and again meanwhile, and says the same.
  const applied = await here.run(["update", "apply", "--deadline", "2s"]);
  expect(applied).toMatchObject({ exit: 3 });
  expect(applied.stdout).toContain('not confirmed yet: the agent said "not now": put off until');
  expect(applied.stdout).toContain("it goes on by itself");
  await until("it was asked, and said so", async () =>
    /^ {2}3 \([0-9a-f]{8}\): the agent said "not now": put off until/m.test(
      (await here.run(["update", "status"])).stdout,
    ),
  );
  expect((await here.run(["status"])).stdout).toContain("→ 3 ");
});

test.concurrent("--only tries it on one agent first; without it all others follow", async () => {
  await using here = commandHere();
  await started(here, [agentDocument("one"), agentDocument("two")]);
  await settled(here, "one", "two");
  writePrompt(here, "be brief");
  expect(await here.run(["update", "apply", "--only", "one"])).toMatchObject({ exit: 0 });
  expect([lastSeen(here, "one").prompt, lastSeen(here, "two").prompt]).toEqual(["be brief", "be kind"]);
  const plan = await json(here, ["update", "plan"], "UpdatePlan");
  expect(plan.all).toMatchObject([{ agents: [{ effect: "nothing" }, { effect: "new catalog", when: "next turn" }] }]);
  expect((await here.run(["update", "status", "two"])).stdout).toContain("2 is published, and given to one alone");
  const rest = await json(here, ["update", "apply"], "UpdateResult");
  expect(rest).toMatchObject({
    exit: 0,
    all: [{ published: [], deliveries: [{ agent: "two", outcome: "confirmed" }] }],
  });
  expect(lastSeen(here, "two").prompt).toBe("be brief");
});

test.concurrent("P8: what was built for other formats is refused by its axis, and the agent keeps what it has", async () => {
  await using here = commandHere();
  await started(here, [agentDocument("scribe")]);
  await settled(here, "scribe");
  mkdirSync(join(here.folder, "other", "prompts"), { recursive: true });
  writeFileSync(join(here.folder, "other", "prompts", "system.md"), "for another wire\n");
  writeFileSync(
    join(here.folder, "other", "agent.yaml"),
    agentDocument("scribe", { more: "  fingerprint: { wireVersion: 2 }\n" }),
  );
  expect(await here.run(["bundle", "publish", "--file", "other/agent.yaml"])).toMatchObject({ exit: 0 });
  const refused = await here.run(["update", "rollback", "--to", "2"]);
  expect(refused.exit).toBe(4);
  expect(refused.stdout).toContain("wire version");
  expect(refused.stdout).toMatch(/the bundle has 2, the build 1/);
  expect(lastSeen(here, "scribe").prompt).toBe("be kind");
});

test.each([
  [["update", "plan", "--on", "kubernetes"], 2, "is for agents on this machine"],
  [["update", "plan", "nobody"], 2, "no agent nobody is declared"],
  [["update", "apply", "--only", "nobody"], 2, "no agent nobody is declared"],
  [["update", "apply", "--only", "scribe", "--migration", "true"], 2, "--only is about one agent"],
  [["update", "apply", "--deadline", "soon"], 2, "--deadline"],
  [["update", "apply", "scribe"], 2, "moorage update apply"],
  [["update", "apply", "--only", "scribe"], 4, "does not run"],
  [["update", "rollback", "--to", "0"], 2, "no whole number from 1 on"],
  [["update", "rollback"], 4, "nothing is published"],
  [["update", "status", "nobody"], 4, "no agent nobody is here"],
  [["update", "apply", "--file", "absent.yaml"], 2, "there is no absent.yaml"],
  [["update", "pause"], 2, "pause"],
  [["status", "--fleet", "writers"], 2, "writers is a fleet, and a word here names an agent"],
  [["status", "--fleet", "scrib"], 2, "did you mean scribe?"],
])("%j is exit %d", async (argv, exit, text) => {
  await using here = commandHere();
  writeAgents(here, [agentDocument("scribe")]);
  writePrompt(here, "be kind");
  const ran = await here.run(argv);
  expect(ran).toMatchObject({ exit, stdout: "", stderr: expect.stringContaining(text) as string });
});
