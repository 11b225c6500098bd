/** Ctrl-C of every command at random moments: exit 130 or its regular end, and the state is as sound as before. */
import { expect, it } from "vitest";
import { loneAgent } from "./lone-agent.ts";
import { Place } from "./place.ts";
import { signal } from "./processes.ts";
import { until } from "./until.ts";

const commands = [
  ["deploy"],
  ["deploy", "--dry-run"],
  ["deploy", "--settle=5s"],
  ["restart", "a"],
  ["stop", "a"],
  ["stop", "--all", "--now"],
  ["status"],
  ["status", "--watch"],
  ["explain", "a"],
  ["logs", "a"],
  ["logs", "-f"],
  ["journal"],
  ["journal", "-f"],
  ["keep"],
  ["doctor"],
  ["schema"],
  ["completion", "bash"],
  ["init", "b", "--state=unused"],
] as const;

/** Of a command that goes on until it is told to end: it never ends regularly. */
const endless = (args: readonly string[]): boolean =>
  args.includes("-f") || args.includes("--watch") || args[0] === "keep";

/** Side by side, each with an agent of its own: most of the time passes waiting for a moment. */
const lanes = 3;

it("Ctrl-C at a random moment of each command: exit 130 or its regular end, and nothing is lost or doubled", async () => {
  const shares = Array.from({ length: lanes }, (_, lane) =>
    commands.filter((_command, index) => index % lanes === lane),
  );
  await Promise.all(shares.map((share) => interruptEach(share)));
});

async function interruptEach(share: readonly (typeof commands)[number][]): Promise<void> {
  await using place = new Place();
  const lone = loneAgent(place);
  place.declare("a", `run: { command: ${JSON.stringify(lone.command)} }\nrevive: onFailure\ndrain: 1s\ngrace: 3s`);
  for (const args of share) {
    const { child, done } = place.start(args);
    // From before its first line of code on, to beyond the end of a short one.
    await new Promise((resolve) => setTimeout(resolve, 20 + Math.random() * 600));
    child.kill("SIGINT");
    const { exit, signal: endedBy, stdout, stderr } = await done;
    const told = `${args.join(" ")}: exit ${exit ?? endedBy}\n${stdout}${stderr}`;
    // Before it listens to signals, the signal itself is its end; a shell shows that as 130 as well.
    const interrupted = exit === 130 || endedBy === "SIGINT";
    expect(interrupted || (!endless(args) && [0, 3, 4].includes(exit ?? -1)), told).toBe(true);
    expect(stderr, told).not.toContain("bug of moorage");
    const { exit: after, outcome } = await place.askOne(["deploy"]);
    expect({ after, outcome }, told).toMatchObject({ after: 0 });
    await until("it runs", () => lone.living().length > 0);
    expect(lone.living(), told).toHaveLength(1);
  }
}

it("Ctrl-C of a deploy that waits: what was started goes on, the last line says so", async () => {
  await using place = new Place();
  // It waits for an earlier run that lingers, for as long as nobody ends it.
  const lone = loneAgent(place, { lingers: 100 });
  place.declare("a", `run: { command: ${JSON.stringify(lone.command)} }\ndrain: 1s\ngrace: 100s`);
  await place.deployDeclared();
  const stop = place.start(["stop", "a"]);
  await until("it is asked to end", async () => (await place.status("a")).state === "ending");
  const { child, done } = place.start(["deploy"]);
  await until("it waits", async () => (await place.run(["journal", "a"])).stdout.includes("awaitDisappearance"));
  child.kill("SIGINT");
  const { exit, stderr } = await done;
  expect(exit).toBe(130);
  expect(stderr.trimEnd().split("\n").at(-1)).toContain("what was started goes on");
  for (const pid of lone.living()) signal(pid, "SIGKILL");
  expect((await stop.done).exit).toBe(0);
  expect(lone.runs()).toHaveLength(1);
  await place.atRest();
});
