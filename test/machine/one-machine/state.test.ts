/** L55–L65: clocks that jump, disks that are full, many at once, output through rotation. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { canMount, smallDisk } from "../disk.ts";
import { timeFaults } from "../fault-table.ts";
import { loneAgent } from "../lone-agent.ts";
import { Place } from "../place.ts";
import { until } from "../until.ts";
import { needsRoot } from "../user.ts";

describe.concurrent("time and state", () => {
  for (const { input, stepMs, outcomes } of timeFaults)
    it(`L55: ${input}: no effect on deploy, restart, stop`, async () => {
      await using place = new Place();
      const lone = loneAgent(place);
      place.declare("a", `run: { command: ${JSON.stringify(lone.command)} }`);
      // The wall clock of every later command; the supervisor's own goes on as it was, as in a machine that is corrected.
      const step = place.write(
        "step.mjs",
        `const now = Date.now; const Real = Date;
         globalThis.Date = class extends Real { constructor(...given) { given.length === 0 ? super(now() + (${stepMs})) : super(...given); } static now() { return now() + (${stepMs}); } };`,
      );
      const stepped = { node: ["--import", step] };
      await place.deployDeclared();
      const [deployed, restarted, stopped] = outcomes;
      expect(await place.askOne(["deploy"], stepped)).toMatchObject({ exit: 0, outcome: deployed });
      expect(await place.askOne(["status", "a"], stepped)).toMatchObject({ exit: 0, state: "running" });
      expect((await place.run(["restart", "a"], stepped)).exit).toBe(0);
      expect(restarted).toBe("started");
      await until("the second run has begun", () => lone.runs().length === 2);
      expect((await place.run(["explain", "a"], stepped)).exit).toBe(0);
      expect(await place.askOne(["stop", "a"], stepped)).toMatchObject({ exit: 0, outcome: stopped });
      await place.atRest();
      // Whatever was recorded meanwhile stands in nobody's way.
      expect(await place.askOne(["deploy"])).toMatchObject({ exit: 0, outcome: "started" });
    });

  it.skipIf(!canMount)(
    `L59: a disk that is full at any write: nothing is forgotten, nothing half made (${canMount ? "as root" : needsRoot})`,
    async () => {
      await using place = new Place();
      const disk = smallDisk(place, 2 << 20);
      const state = `--state=${join(disk.path, "state")}`;
      const ask = (args: readonly string[]) =>
        place.askOne([args[0]!, args[1]!, state, ...args.slice(2)], { state: false });
      const lone = loneAgent(place);
      expect((await ask(["deploy", "a", "--", ...lone.command])).exit).toBe(0);
      let refused = 0;
      for (const left of [0, 4, 8, 16, 24, 36, 52, 80]) {
        disk.fill(left << 10);
        const told = await ask(["deploy", `b${left}`, "--deadline=5s", "--", "sleep", "600"]);
        expect([0, 1, 3, 4]).toContain(told.exit);
        if (told.exit === 1) refused += 1;
        if (told.exit === 1) expect(told.condition?.code).toBe("stateDiskFull");
        expect(await ask(["status", "a"])).toMatchObject({ exit: 0, state: "running" });
      }
      expect(refused).toBeGreaterThan(0);
      disk.empty();
      expect(await ask(["deploy", "b0", "--", "sleep", "600"])).toMatchObject({ exit: 0 });
      expect(await ask(["deploy", "a", "--", ...lone.command])).toMatchObject({ exit: 0, outcome: "alreadyRunning" });
      expect(lone.runs()).toHaveLength(1);
      expect((await place.run(["stop", "--all", "--now", state], { state: false })).exit).toBe(0);
      await place.atRest();
    },
  );

  it("L62: twelve agents at once from nothing: all run, nobody meets a locked database", async () => {
    await using place = new Place();
    const told = await Promise.all(
      Array.from({ length: 12 }, (_, number) => place.askOne(["deploy", `a${number}`, "--", "sleep", "600"])),
    );
    expect(told.map(({ exit, outcome }) => `${exit} ${outcome}`)).toEqual(Array(12).fill("0 started"));
    const { agents } = await place.ask(["status"]);
    expect(agents.map(({ state }) => state)).toEqual(Array(12).fill("running"));
    expect((await place.run(["stop", "--all", "--now"])).exit).toBe(0);
    await place.atRest();
  });

  it("L65: logs -f through rotation: whole lines, each once, to the end", async () => {
    await using place = new Place();
    const lines = 300_000;
    const agent = `while [ ! -e "$0/go" ]; do sleep 0.05; done; seq -f "line %.0f of a program that never stops talking" ${lines}; exec sleep 600`;
    await place.deploy("a", "sh", "-c", agent, place.dir);
    const { child, done } = place.start(["logs", "a", "-f"]);
    let last = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      last = (last + chunk.toString()).slice(-200);
    });
    place.write("go", "");
    await until("it has followed to the last line", () => last.includes(`line ${lines} of a program`), 100_000);
    child.kill("SIGINT");
    const { exit, stdout } = await done;
    expect(exit).toBe(130);
    const numbers = stdout
      .trimEnd()
      .split("\n")
      .map((line) => Number(/^line (\d+) of a program that never stops talking$/.exec(line)?.[1]));
    expect(numbers).toHaveLength(lines);
    expect(numbers.findIndex((number, index) => number !== index + 1)).toBe(-1);
  });
});
