/** L28, L48–L54: other users, user managers, sockets that are taken away or would be too long. */
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { Place } from "../place.ts";
import { environmentOf } from "../processes.ts";
import { talkingAgent } from "../talking-agent.ts";
import { until } from "../until.ts";
import { isRoot, needsRoot, nobodyId } from "../user.ts";

/** What stands in for systemd: it notes what it was asked and agrees. */
function fakeManager(place: Place, linger: "yes" | "no"): Record<string, string> {
  const note = `echo "$(basename "$0") $*" >>"${place.dir}/asked"`;
  place.write("fake/systemctl", `#!/bin/sh\n${note}\n`, 0o755);
  place.write("fake/loginctl", `#!/bin/sh\n${note}\necho Linger=${linger}\n`, 0o755);
  return {
    PATH: `${place.dir}/fake:${place.env().PATH}`,
    XDG_CONFIG_HOME: join(place.dir, "config"),
    XDG_RUNTIME_DIR: join(place.dir, "run"),
  };
}

function unitOf(place: Place): string {
  const folder = join(place.dir, "config/systemd/user");
  const [name] = readdirSync(folder);
  return readFileSync(join(folder, name!), "utf8");
}

const kept = 'run: { command: [sleep, "600"] }\nrevive: onFailure\ndrain: 100s\ngrace: 300s';

describe.concurrent("user, session, sockets", () => {
  it("L28: the unit gives more time than the largest grace; doctor finds one that does not", async () => {
    await using place = new Place();
    const env = fakeManager(place, "yes");
    place.declare("a", kept);
    await place.mustRun(["deploy"], { env });
    const installed = await place.run(["keep", "--install"], { env });
    expect({ exit: installed.exit, stderr: installed.stderr }).toEqual({ exit: 0, stderr: "" });
    const unit = unitOf(place);
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThan(300);
    for (const line of ["KillMode=process", "OOMPolicy=continue", "Restart=on-failure"])
      expect(unit.split("\n")).toContain(line);
    expect(unit).toContain(`PATH=${env["PATH"]}`);
    expect(place.read("asked")).toMatch(/systemctl --user enable moorage-keep-[0-9a-f]+\.service/);
    expect((await place.run(["doctor"], { env })).stdout).not.toContain("TimeoutStopSec");
    const [name] = readdirSync(join(place.dir, "config/systemd/user"));
    place.write(`config/systemd/user/${name}`, unit.replace(/TimeoutStopSec=\d+/, "TimeoutStopSec=30"));
    expect((await place.run(["doctor"], { env })).stdout).toContain("its TimeoutStopSec (30 s)");
  });

  it.skipIf(!isRoot)(
    `L48: root below another user's home: refused before the first write (${isRoot ? "as root" : needsRoot})`,
    async () => {
      await using place = new Place();
      place.giveTo(nobodyId);
      const before = readdirSync(place.dir);
      const told = await place.ask(["deploy", "a", "--", "sleep", "600"], { state: false });
      expect({ exit: told.exit, code: told.code }).toEqual({ exit: 4, code: "stateOtherOwner" });
      expect(told.hint).toContain("sudo");
      expect(readdirSync(place.dir)).toEqual(before);
    },
  );

  it("L49: --install checks whether the user lingers, and doctor says it too", async () => {
    await using place = new Place();
    const env = fakeManager(place, "no");
    place.declare("a", kept);
    const installed = await place.run(["keep", "--install"], { env });
    expect(installed.exit).toBe(0);
    expect(installed.stderr).toContain("loginctl enable-linger");
    expect((await place.run(["doctor"], { env })).stdout).toContain("you do not linger");
  });

  it("L52: its socket and the folder of it are cleaned away: back within seconds; stop works meanwhile", async () => {
    await using place = new Place();
    const talking = talkingAgent(place);
    await place.deploy("a", ...talking.command);
    await talking.ready();
    const { pid } = await place.status("a");
    const socket = environmentOf(pid!)["MOORAGE_SOCKET"]!;
    rmSync(socket);
    await until("it is back", () => existsSync(socket), 20_000);
    expect(await talking.open()).toBe(201);
    expect(await talking.close()).toBe(200);
    rmSync(socket);
    const stopped = await place.askOne(["stop", "a"]);
    expect({ exit: stopped.exit, outcome: stopped.outcome }).toEqual({ exit: 0, outcome: "stopped" });
  });

  it("L53: no user manager: keep --install says why, exit 4, with the foreground command", async () => {
    await using place = new Place();
    place.write("fake/systemctl", "#!/bin/sh\necho 'Failed to connect to bus: No medium found' >&2\nexit 1\n", 0o755);
    place.declare("a", kept);
    const env = { PATH: `${place.dir}/fake:${place.env().PATH}`, XDG_CONFIG_HOME: join(place.dir, "config") };
    const told = await place.ask(["keep", "--install"], { env });
    expect({ exit: told.exit, code: told.code }).toEqual({ exit: 4, code: "noUserManager" });
    expect(told.message).toContain("No medium found");
    expect(told.hint).toMatch(/foreground.*keep.*--file=/);
    expect(existsSync(join(place.dir, "config"))).toBe(false);
  });

  it("L54: a state directory with a long path: the socket has a short one", async () => {
    const place = new Place();
    await using deep = new Place({
      state: join(place.dir, ...Array.from({ length: 6 }, () => "d".repeat(30)), "state"),
    });
    await using _ = place;
    const talking = talkingAgent(deep);
    await deep.mustRun(["deploy", "a", "--", ...talking.command], { env: { TMPDIR: place.dir } });
    await talking.ready();
    const { pid } = await deep.status("a");
    const socket = environmentOf(pid!)["MOORAGE_SOCKET"]!;
    expect(Buffer.byteLength(socket)).toBeLessThan(100);
    expect(await talking.open()).toBe(201);
    expect(await talking.close()).toBe(200);
    rmSync(dirname(socket), { recursive: true });
    await until("it is back", () => existsSync(socket), 20_000);
    expect((await deep.askOne(["stop", "a"])).outcome).toBe("stopped");
  });
});
