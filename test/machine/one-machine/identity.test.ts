/** L01–L13: two copies, and records that mean somebody else. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loneAgent } from "../lone-agent.ts";
import { command, Place } from "../place.ts";
import { agentsBelow, alive, signal, supervisorsBelow, untilDead } from "../processes.ts";
import { editRecord, loseSupervisor, startOf } from "../record.ts";
import { until } from "../until.ts";
import { isRoot, needsRoot } from "../user.ts";

const linux = process.platform === "linux";

/** Somebody else's process, in a group and a session of its own. */
function strangerIn(place: Place): number {
  const child = spawn("sleep", ["600"], { detached: true, stdio: "ignore", cwd: place.dir });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  place.atEnd(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return child.pid!;
}

describe.concurrent("two copies, wrong identity", () => {
  it("L01: 20 deploys at once from nothing: one instance", async () => {
    await using place = new Place();
    const lone = loneAgent(place);
    const told = await Promise.all(
      Array.from({ length: 20 }, () => place.askOne(["deploy", "a", "--", ...lone.command])),
    );
    expect(told.filter(({ exit }) => exit !== 0)).toEqual([]);
    expect(told.filter(({ outcome }) => outcome === "alreadyRunning" || outcome === "started")).toHaveLength(20);
    await until("it has begun", () => lone.runs().length > 0);
    expect(lone.runs()).toHaveLength(1);
    expect(supervisorsBelow(place.dir)).toHaveLength(1);
  });

  it("L02: KILL the supervisor, deploy: the old group is seen dead before the new one starts", async () => {
    await using place = new Place();
    const lone = loneAgent(place);
    const first = await place.deploy("a", ...lone.command);
    await until("it has begun", () => lone.runs().length === 1);
    await loseSupervisor(place);
    expect(lone.living()).toHaveLength(1);
    const second = await place.deploy("a", ...lone.command);
    expect(second.outcome).toBe("started");
    expect(second.attempt).not.toBe(first.attempt);
    await until("the second run has begun", () => lone.runs().length === 2);
    expect(alive(lone.runs()[0]!)).toBe(false);
  });

  for (const agent of ["node", "shell"] as const)
    it(`L02: an agent (${agent}) that prints was killed by its next line when its supervisor was killed`, async () => {
      await using place = new Place();
      const script = 'setInterval(() => { console.log("talks"); require("fs").appendFileSync("beats", "."); }, 20);';
      const shell =
        "trap 'echo bye >bye; exit 0' TERM; while :; do echo talks; printf . >>beats; sleep 0.02 & wait $!; done";
      await place.deploy("a", ...(agent === "node" ? ["node", "-e", script] : ["sh", "-c", shell]));
      const { pid } = await place.status("a");
      await until("it talks", () => place.has("beats"));
      await loseSupervisor(place);
      const before = place.read("beats").length;
      await until("it goes on talking", () => place.read("beats").length > before + 20);
      expect(alive(pid!)).toBe(true);
      expect((await place.askOne(["stop", "a"])).outcome).toBe("stopped");
      expect(alive(pid!)).toBe(false);
      if (agent === "shell") expect(place.has("bye")).toBe(true);
    });

  it("L03: a new start is blocked until the old group is empty, wherever its caller is killed", async () => {
    await using place = new Place();
    const lone = loneAgent(place, { lingers: 1 });
    await place.deploy("a", ...lone.command);
    await until("it has begun", () => lone.runs().length === 1);
    await loseSupervisor(place);
    for (const moment of [150, 400]) {
      const call = place.start(["deploy", "a", "--", ...lone.command]);
      await new Promise((resolve) => setTimeout(resolve, moment));
      call.child.kill("SIGKILL");
      await call.done;
    }
    await place.deploy("a", ...lone.command);
    await until("the second run has begun", () => lone.runs().length >= 2);
    expect(lone.living()).toHaveLength(1);
  });

  it.skipIf(!(isRoot && linux))(
    `L06: a supervisor in another PID namespace: never lost, nothing killed, exit 4 (${isRoot ? "as root" : needsRoot})`,
    async () => {
      await using place = new Place();
      const lone = loneAgent(place);
      const words = [...command, "deploy", "a", `--state=${place.state}`, "--", ...lone.command];
      const inside = spawn(
        "unshare",
        ["-pf", "--mount-proc", "sh", "-c", '"$@"; echo done; exec sleep 600', "sh", ...words],
        { cwd: place.dir, env: place.env(), stdio: "ignore", detached: true },
      );
      const ended = new Promise((resolve) => inside.once("exit", resolve));
      place.atEnd(async () => {
        signal(-inside.pid!, "SIGKILL");
        await ended;
      });
      await until("it runs in there", async () => (await place.status("a")).state === "running", 20_000);
      const again = await place.askOne(["deploy", "a", "--", ...lone.command]);
      expect({ exit: again.exit, outcome: again.outcome }).toEqual({ exit: 0, outcome: "alreadyRunning" });
      const agents = agentsBelow(place.dir).map(({ pid }) => pid);
      await loseSupervisor(place);
      for (const args of [
        ["deploy", "a", "--", ...lone.command],
        ["stop", "a"],
      ]) {
        const told = await place.askOne(args);
        expect({ exit: told.exit, code: told.condition?.code }).toEqual({ exit: 4, code: "cannotTell" });
      }
      expect((await place.status("a")).state).toBe("cannotTell");
      expect(agents.some(alive)).toBe(true);
      expect(lone.runs()).toHaveLength(1);
      // The kernel says so when the whole namespace is gone: nobody holds its output any more.
      for (const { pid } of agentsBelow(place.dir)) signal(pid, "SIGKILL");
      await until("nothing of it lives", () => agentsBelow(place.dir).length === 0);
      expect((await place.deploy("a", ...lone.command)).outcome).toBe("started");
    },
  );

  it.skipIf(!linux)("L07: a record with the caller's own PID and another start time: dead", async () => {
    await using place = new Place();
    const { pid } = await place.deploy("a", "sleep", "600");
    const told = await place.status("a");
    await loseSupervisor(place, told.pid ?? pid);
    // The numbers of the process that is about to be the caller.
    place.write(
      "forge.mjs",
      `import { DatabaseSync } from "node:sqlite";
       const database = new DatabaseSync(process.argv[2]);
       const own = Number(process.argv[3]);
       database.prepare("UPDATE instances SET claim = json_set(claim, '$.pid', ?), status = json_set(status, '$.mark.pid', ?, '$.mark.group', ?)").run(own, own, own);
       database.close();`,
    );
    const within = ["sh", "-c", `node "${place.dir}/forge.mjs" "${join(place.state, "state.db")}" $$; exec "$@"`, "sh"];
    const again = await place.askOne(["deploy", "a", "--", "sleep", "600"], { within });
    expect({ exit: again.exit, outcome: again.outcome }).toEqual({ exit: 0, outcome: "started" });
  });

  it.skipIf(!linux)(
    "L08: after a restart of the machine the PID is somebody else's: the agent is started, never a silent 0",
    async () => {
      await using place = new Place();
      const other = strangerIn(place);
      const told = await place.deploy("a", "sleep", "600");
      await loseSupervisor(place, (await place.status("a")).pid ?? told.pid);
      editRecord(place, ({ claim, status }) => {
        for (const machine of [claim.machine, status.mark.machine])
          machine["bootId"] = "00000000-0000-0000-0000-000000000000";
        claim.pid = status.mark.pid = status.mark.group = status.mark.session = other;
      });
      expect((await place.status("a")).state).toBe("ended");
      const again = await place.askOne(["deploy", "a", "--", "sleep", "600"]);
      expect({ exit: again.exit, outcome: again.outcome }).toEqual({ exit: 0, outcome: "started" });
      expect(alive(other)).toBe(true);
    },
  );

  it.skipIf(!linux)("L09: a stop by a record whose PID is another's now: the foreign process lives", async () => {
    await using place = new Place();
    const told = await place.deploy("a", "sleep", "600");
    // Begun after the record: only its own start time tells that it is another.
    const other = strangerIn(place);
    await loseSupervisor(place, (await place.status("a")).pid ?? told.pid);
    editRecord(place, ({ claim, status }) => {
      claim.pid = status.mark.pid = status.mark.group = status.mark.session = other;
    });
    const stopped = await place.askOne(["stop", "a"]);
    expect({ exit: stopped.exit, outcome: stopped.outcome }).toEqual({ exit: 0, outcome: "stopped" });
    expect(alive(other)).toBe(true);
  });

  it("L10 (a): the leader is dead, a member of its group is ours: it is ended", async () => {
    await using place = new Place();
    await place.deploy("a", "sh", "-c", 'sleep 600 & echo $! >"$0/member"; wait', place.dir);
    const { pid } = await place.status("a");
    const member = await until("its member is there", () => place.number("member"));
    await loseSupervisor(place, pid);
    expect(alive(member)).toBe(true);
    const stopped = await place.askOne(["stop", "a"]);
    expect({ exit: stopped.exit, outcome: stopped.outcome }).toEqual({ exit: 0, outcome: "stopped" });
    expect(alive(member)).toBe(false);
  });

  it.skipIf(!linux)("L10 (b): the leader is dead, its group number is another's now: untouched", async () => {
    await using place = new Place();
    const other = strangerIn(place);
    await place.deploy("a", "sleep", "600");
    await loseSupervisor(place, (await place.status("a")).pid);
    editRecord(place, ({ status }) => {
      // The stranger's group, begun after the record by its numbers, and a leader that is gone.
      status.mark.group = status.mark.session = other;
      status.mark.start = startOf(other) - 1;
    });
    const told = await place.askOne(["deploy", "a", "--", "sleep", "600"]);
    expect({ exit: told.exit, outcome: told.outcome }).toEqual({ exit: 0, outcome: "started" });
    expect(alive(other)).toBe(true);
  });

  it("L11: a stopped supervisor: deploy answers within its deadline and names it; age never decides", async () => {
    await using place = new Place();
    const lone = loneAgent(place);
    await place.deploy("a", ...lone.command);
    const supervisor = (await place.status("a")).supervisor!.pid!;
    signal(supervisor, "SIGSTOP");
    const running = await place.askOne(["deploy", "a", "--", ...lone.command]);
    expect({ exit: running.exit, outcome: running.outcome }).toEqual({ exit: 0, outcome: "alreadyRunning" });
    await place.askOne(["stop", "a", "--deadline=1s"]);
    const waiting = await place.run(["deploy", "a", "--deadline=1s", "--", ...lone.command]);
    expect(waiting.exit).toBe(3);
    expect(waiting.stdout).toContain(`process ${supervisor}, is stopped`);
    expect(waiting.stdout).toContain(`kill -CONT ${supervisor}`);
    expect(waiting.ms).toBeLessThan(15_000);
    expect(lone.runs()).toHaveLength(1);
    expect(lone.living()).toHaveLength(1);
    signal(supervisor, "SIGCONT");
    await untilDead(lone.runs()[0]!);
  });

  it("L13: the state of another machine: refused, never taken for lost", async () => {
    await using place = new Place();
    await place.deploy("a", "sleep", "600");
    const { pid } = await place.status("a");
    await loseSupervisor(place);
    editRecord(place, ({ claim }) => {
      claim.machine["machineId"] = "another";
    });
    const stopped = await place.askOne(["stop", "a"]);
    expect({ exit: stopped.exit, code: stopped.condition?.code }).toEqual({ exit: 4, code: "cannotTell" });
    const told = await place.status("a");
    expect({ state: told.state, reason: told.reason }).toMatchObject({
      state: "cannotTell",
      reason: expect.stringContaining("another machine"),
    });
    expect(alive(pid!)).toBe(true);
  });
});
