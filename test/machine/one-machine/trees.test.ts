/** L15–L26: what an agent starts, and that all of it is gone after a stop. */
import { execFileSync, spawn } from "node:child_process";
import { chmodSync, copyFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { command, Place } from "../place.ts";
import { agentsBelow, alive, signal, stateOf, supervisorsBelow, untilDead } from "../processes.ts";
import { loseSupervisor } from "../record.ts";
import { until } from "../until.ts";
import { isRoot, needsRoot, nobodyId } from "../user.ts";

const linux = process.platform === "linux";

/** Says where it is by writing its number; `$0` is the place's folder. */
const say = (name: string): string => `echo $! >"$0/${name}"`;

async function stopped(place: Place): Promise<void> {
  const told = await place.askOne(["stop", "a"]);
  expect({ exit: told.exit, outcome: told.outcome, condition: told.condition }).toEqual({
    exit: 0,
    outcome: "stopped",
    condition: null,
  });
}

describe.concurrent("process trees", () => {
  it("L15: a shell that runs npm that runs node: empty after stop", async () => {
    await using place = new Place();
    place.write("package.json", '{"name":"agent","scripts":{"start":"node agent.js"}}');
    place.write("agent.js", 'require("fs").writeFileSync("node", String(process.pid)); setInterval(() => {}, 1000);');
    place.declare("a", 'run: { command: [sh, -c, "npm start; true"] }\ndrain: 1s\ngrace: 5s');
    await place.deployDeclared();
    const node = await until("node runs", () => place.number("node"));
    expect(agentsBelow(place.dir).length).toBeGreaterThan(1);
    await stopped(place);
    expect(alive(node)).toBe(false);
    await place.atRest();
  });

  it("L16: the leader ends on TERM, a member ignores it: the stop is done when the group is empty", async () => {
    await using place = new Place();
    const agent = `sh -c 'trap "" TERM; while :; do sleep 1; done' & ${say("member")}; trap 'exit 0' TERM; while :; do sleep 0.1; done`;
    place.declare("a", `run: { command: [sh, -c, ${JSON.stringify(agent)}, "${place.dir}"] }\ndrain: 1s\ngrace: 2s`);
    await place.deployDeclared();
    const member = await until("the member runs", () => place.number("member"));
    await stopped(place);
    expect(alive(member)).toBe(false);
    await place.atRest();
  });

  for (const lost of [false, true])
    it.skipIf(!linux)(
      `L17: children by setsid, double fork and env -i are gone after stop${lost ? ", also when the supervisor was lost" : ""}`,
      async () => {
        await using place = new Place();
        const agent = [
          `setsid sleep 600 & ${say("session")}`,
          `(setsid sh -c 'sleep 600 & echo $! >"$0/forked"' "$0" &)`,
          `env -i setsid sleep 600 & ${say("bare")}`,
          `(env -i setsid sh -c 'sleep 600 & echo $! >"$0/bareForked"; exit' "$0" &)`,
          `(setsid sh -c 'echo $$ >"$0/silent"; exec sleep 600' "$0" >/dev/null 2>&1 &)`,
          "exec sleep 600",
        ].join("\n");
        await place.deploy("a", "sh", "-c", agent, place.dir);
        const children: number[] = [];
        for (const name of ["session", "forked", "bare", "bareForked", "silent"])
          children.push(await until(`${name} runs`, () => place.number(name)));
        expect(children.every(alive)).toBe(true);
        if (lost) await loseSupervisor(place, (await place.status("a")).pid);
        await stopped(place);
        expect(children.filter(alive)).toEqual([]);
      },
    );

  it("L21: an agent that another one deploys lives on, even while the command that deployed it still watches", async () => {
    await using place = new Place();
    const deploy = [...command, "deploy", "b", "--settle", "60s", "--", "sleep", "600"].join(" ");
    await place.deploy("a", "sh", "-c", `${deploy} & trap 'exit 0' TERM; while :; do sleep 0.1; done`);
    await until("b runs", async () => (await place.status("b")).state === "running");
    const { pid } = await place.status("b");
    await stopped(place);
    expect((await place.status("b")).state).toBe("running");
    expect(alive(pid!)).toBe(true);
  });

  for (const leaderToo of [false, true])
    it.skipIf(!(isRoot && linux))(
      `L23: a member that may not be signalled is named, exit 4, and nothing is created${leaderToo ? ", its leader dead" : ""} (${isRoot ? "as root" : needsRoot})`,
      async () => {
        await using place = new Place();
        place.giveTo(nobodyId);
        const nobody = { uid: nobodyId };
        // What becomes root for good, as a setuid program may.
        copyFileSync(execFileSync("which", ["setpriv"]).toString().trim(), join(place.dir, "become"));
        chmodSync(join(place.dir, "become"), 0o4755);
        const agent = `"$0/become" --reuid=0 --regid=0 --clear-groups sleep 600 & ${say("member")}; exec sleep 600`;
        await place.mustRun(["deploy", "a", "--", "sh", "-c", agent, place.dir], nobody);
        const { pid } = await place.askOne(["status", "a"], nobody);
        const member = await until("root's member runs", () => place.number("member"));
        await until("it is root's", () => statSync(`/proc/${member}`).uid === 0);
        await loseSupervisor(place, leaderToo ? pid : null);
        for (const args of [
          ["deploy", "a", "--", "sleep", "600"],
          ["stop", "a"],
        ]) {
          const told = await place.askOne(args, nobody);
          expect({ exit: told.exit, code: told.condition?.code }).toEqual({ exit: 4, code: "leftoversRemain" });
          expect(told.condition?.message).toContain(String(member));
        }
        expect(alive(member)).toBe(true);
        signal(member, "SIGKILL");
        await untilDead(member);
        expect((await place.askOne(["stop", "a"], nobody)).exit).toBe(0);
      },
    );

  it("L25: a stopped agent gets CONT with its TERM, and ends gracefully", async () => {
    await using place = new Place();
    await place.deploy(
      "a",
      "sh",
      "-c",
      `trap 'echo bye >"$0/bye"; exit 0' TERM; while :; do sleep 0.05 & wait $!; done`,
      place.dir,
    );
    const { pid } = await place.status("a");
    signal(pid!, "SIGSTOP");
    await until("it is stopped", () => stateOf(pid!) === "T");
    await stopped(place);
    await place.atRest();
    expect((await place.run(["journal", "a"])).exit).toBe(0);
    expect(place.has("bye")).toBe(true);
  });

  it.skipIf(!(isRoot && linux))(
    `L26: an orphan zombie under a PID 1 that does not reap is dead (${isRoot ? "as root" : needsRoot})`,
    async () => {
      await using place = new Place();
      // In its own PID namespace under a first process that never waits for anybody.
      place.write("first.mjs", firstProcess);
      const inside = spawn("unshare", ["-pf", "--mount-proc", "node", "first.mjs", ...command, place.state], {
        cwd: place.dir,
        env: place.env(),
        stdio: "ignore",
        detached: true,
      });
      const ended = new Promise((resolve) => inside.once("exit", resolve));
      place.atEnd(async () => {
        signal(-inside.pid!, "SIGKILL");
        await ended;
      });
      await until("all of it is done in there", () => place.has("done"), 40_000);
      expect(JSON.parse(place.read("zombies"))).not.toEqual([]);
      expect(JSON.parse(place.read("done"))).toEqual({ deploy: 0, again: "started", stop: 0 });
      await until("its supervisor is gone as well", () => supervisorsBelow(place.dir).length === 0);
    },
  );
});

/**
 * The first process of a PID namespace: it starts an agent, kills it and its supervisor, never waits for either, and goes on
 * with the zombies there. It writes what came of it.
 */
const firstProcess = `
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
const [, , program, script, state] = process.argv;
const ask = (...args) => {
  const { status, stdout } = spawnSync(program, [script, ...args.slice(0, 2), "--json", "--state=" + state, ...args.slice(2)], { encoding: "utf8" });
  return { status, told: JSON.parse(stdout).agents[0] };
};
const states = () => readdirSync("/proc").filter((name) => /^[0-9]+$/.test(name)).map((pid) => {
  const stat = readFileSync("/proc/" + pid + "/stat", "utf8");
  return [Number(pid), stat.slice(stat.lastIndexOf(")") + 2)[0]];
});
const deploy = ask("deploy", "a", "--", "sleep", "600").status;
const { told } = ask("status", "a");
const killed = [told.supervisor.pid, told.pid];
for (const pid of killed) process.kill(pid, "SIGKILL");
let zombies = [];
while (zombies.length < 2) zombies = states().filter(([pid, letter]) => letter === "Z" && killed.includes(pid));
writeFileSync("zombies", JSON.stringify(zombies));
const again = ask("deploy", "a", "--", "sleep", "600").told.outcome;
const stop = ask("stop", "a").status;
writeFileSync("done.new", JSON.stringify({ deploy, again, stop }));
(await import("node:fs")).renameSync("done.new", "done");
setInterval(() => {}, 1000);
`;
