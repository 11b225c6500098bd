/** L27–L32: a stop lets the turn finish, loses no output, and is over when nothing lives any more. */

import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { describe, expect, it } from "vitest";
import { loneAgent } from "../lone-agent.ts";
import { command, Place } from "../place.ts";
import { agentsBelow, signal, supervisorsBelow, untilDead } from "../processes.ts";
import { talkingAgent } from "../talking-agent.ts";
import { until } from "../until.ts";

/** Free a moment ago, and asked for by nobody else in these tests. */
function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

describe.concurrent("stop and drain", () => {
  it("L27: restarts on a fixed port: each finds it free", async () => {
    await using place = new Place();
    place.write(
      "agent.js",
      `const server = require("net").createServer();
       server.on("error", (error) => { console.log("fault " + error.code); process.exit(1); });
       server.listen(Number(process.argv[2]), "127.0.0.1", () => require("fs").appendFileSync("listened", "yes\\n"));`,
    );
    place.declare("a", `run: { command: [node, agent.js, "${await freePort()}"] }\ndrain: 1s\ngrace: 5s`);
    await place.deployDeclared();
    const restarts = 4;
    const listened = (): number => (place.has("listened") ? place.read("listened").split("\n").length - 1 : 0);
    for (let number = 1; number <= restarts; number += 1) {
      await until("it listens", () => listened() === number);
      expect((await place.run(["restart", "a"])).exit).toBe(0);
    }
    await until("the last one listens", () => listened() === restarts + 1);
    expect((await place.run(["stop", "a"])).exit).toBe(0);
    await place.atRest();
  });

  for (const what of ["restart", "stop"] as const)
    it(`L29: ${what} self inside a turn: accepted at once, carried out after that turn, exactly once`, async () => {
      await using place = new Place();
      const talking = talkingAgent(place);
      place.declare("a", `run: { command: ${JSON.stringify(talking.command)} }\ndrain: 30s\ngrace: 40s`);
      await place.deployDeclared();
      await talking.ready();
      expect(await talking.open()).toBe(201);
      expect(await talking.run([...command, what, "self"])).toBe(0);
      // The turn goes on; it is the only one, and nothing begins beside it.
      await until("it is asked to end", async () => (await place.status("a")).state === "ending");
      expect(await talking.open()).toBe(409);
      expect(talking.told().filter((line) => line.startsWith("ready"))).toHaveLength(1);
      expect(await talking.close()).toBe(200);
      await until("it ends", () => talking.told().includes("term"));
      if (what === "restart")
        await until("it begins again", () => talking.told().filter((line) => line.startsWith("ready")).length === 2);
      else await until("it is gone", async () => (await place.status("a")).state === "absent");
      await until("all is at rest", () =>
        place.processes().every(({ command: words }) => !words.includes("moorage.mjs")),
      );
      expect(talking.told().filter((line) => line.startsWith("ready"))).toHaveLength(what === "restart" ? 2 : 1);
      const agents = agentsBelow(place.dir).map(({ command: words }) => words);
      expect(agents).toEqual(what === "restart" ? [talking.command.join(" ")] : []);
    });

  it("L29: restart self starts again even when the command that handed it over is still there", async () => {
    await using place = new Place();
    const [node, script] = command;
    const stay = place.write("stay.cjs", 'if (!process.argv.includes("--quiet")) setInterval(() => {}, 1000);');
    const agent = [
      `echo started >> "$0/starts"`,
      `[ $(wc -l < "$0/starts") -gt 1 ] || ${node} --require ${stay} ${script} restart self &`,
      "trap 'exit 0' TERM; while :; do sleep 0.1; done",
    ].join("\n");
    await place.deploy("a", "sh", "-c", agent, place.dir);
    await until("it begins again", () => place.read("starts").split("\n").length === 3);
    await until("it runs", async () => (await place.status("a")).state === "running");
    expect((await place.run(["stop", "a"])).exit).toBe(0);
  });

  it("L30: KILL during a drain: explain names the turn that was lost", async () => {
    await using place = new Place();
    const talking = talkingAgent(place);
    place.declare("a", `run: { command: ${JSON.stringify(talking.command)} }\ndrain: 30s\ngrace: 40s`);
    await place.deployDeclared();
    await talking.ready();
    expect(await talking.open()).toBe(201);
    const stop = place.start(["stop", "a"]);
    await until("it drains", async () => (await place.status("a")).state === "ending");
    stop.child.kill("SIGKILL");
    const { pid } = await place.status("a");
    for (const each of [...supervisorsBelow(place.dir).map((supervisor) => supervisor.pid), pid!]) {
      signal(each, "SIGKILL");
      await untilDead(each);
    }
    await stop.done;
    const { stdout, exit } = await place.run(["explain", "a"]);
    expect(exit).toBe(0);
    expect(stdout).toContain("t1");
    expect((await place.status("a")).turn).toMatchObject({ inFlight: 1 });
  });

  it("L32: 1,000 lines that the agent prints on TERM are all in its log", async () => {
    await using place = new Place();
    const agent =
      "trap 'n=0; while [ $n -lt 1000 ]; do n=$((n+1)); echo \"last words $n\"; done; exit 0' TERM; echo ready; while :; do sleep 0.05 & wait $!; done";
    await place.deploy("a", "sh", "-c", agent);
    await until("it is ready", async () => (await place.run(["logs", "a"])).stdout.includes("ready"));
    expect((await place.run(["stop", "a"])).exit).toBe(0);
    const { stdout } = await place.run(["logs", "a", "--previous"]);
    const said = stdout.split("\n").filter((line) => line.startsWith("last words"));
    expect(said).toEqual(Array.from({ length: 1_000 }, (_, index) => `last words ${index + 1}`));
  });

  it("a stop while a start is under way ends what was started, and both tell it", async () => {
    await using place = new Place();
    const lone = loneAgent(place);
    const start = place.askOne(["deploy", "a", "--", ...lone.command]);
    await until("it is on its way", () => supervisorsBelow(place.dir).length > 0);
    const stop = await place.askOne(["stop", "a"]);
    expect({ exit: stop.exit, outcome: stop.outcome }).toEqual({ exit: 0, outcome: "stopped" });
    expect([0, 4, 5]).toContain((await start).exit);
    await place.atRest();
    expect(lone.runs().length).toBeLessThanOrEqual(1);
  });
});
