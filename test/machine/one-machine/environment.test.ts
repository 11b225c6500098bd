/** L41–L44, L68: what of the caller's environment an agent gets, and how a changed declaration reaches it. */
import { describe, expect, it } from "vitest";
import { loneAgent } from "../lone-agent.ts";
import { Place } from "../place.ts";
import { environmentOf } from "../processes.ts";
import { until } from "../until.ts";

const run = 'run: { command: [sleep, "600"] }';

async function environment(place: Place): Promise<Record<string, string>> {
  return environmentOf((await place.status("a")).pid!);
}

describe.concurrent("environment", () => {
  it("L41: a key that was removed from the declaration is absent after restart, also while the shell still has it", async () => {
    await using place = new Place();
    place.declare("a", `${run}\nenv: { OLD: "1", KEPT: "2" }`);
    await place.deployDeclared();
    expect(await environment(place)).toMatchObject({ OLD: "1", KEPT: "2" });
    place.declare("a", `${run}\nenv: { KEPT: "3" }`);
    expect((await place.run(["restart", "a"], { env: { OLD: "1" } })).exit).toBe(0);
    const after = await environment(place);
    expect(after["KEPT"]).toBe("3");
    expect(after).not.toHaveProperty("OLD");
  });

  it("L43: proxy and CA variables that are set and not passed: one warning, and a short way to pass them", async () => {
    await using place = new Place();
    const env = { HTTPS_PROXY: "http://proxy.example:3128", NODE_EXTRA_CA_CERTS: "/etc/ca.pem" };
    place.declare("a", run);
    const { stderr } = await place.run(["deploy"], { env });
    expect(stderr.match(/warning/g)).toHaveLength(1);
    expect(stderr).toContain("passEnv: [HTTPS_PROXY, NODE_EXTRA_CA_CERTS]");
    expect(await environment(place)).not.toHaveProperty("HTTPS_PROXY");
    expect((await place.run(["explain", "a"], { env })).stdout).toContain(
      "passEnv: [HTTPS_PROXY, NODE_EXTRA_CA_CERTS]",
    );
    place.declare("a", `${run}\npassEnv: [HTTPS_PROXY, NODE_EXTRA_CA_CERTS]`);
    const restart = await place.run(["restart", "a"], { env });
    expect(restart.stderr).toBe("");
    expect(await environment(place)).toMatchObject(env);
  });

  it("L44: started from inside a coding agent: nothing of its session leaks in", async () => {
    await using place = new Place();
    const env = {
      CLAUDECODE: "1",
      ANTHROPIC_BASE_URL: "http://127.0.0.1:1",
      NODE_OPTIONS: "--no-warnings",
      SSH_AUTH_SOCK: "/x",
      TZ: "UTC",
      LC_ALL: "C",
    };
    await place.mustRun(["deploy", "a", "--", "sleep", "600"], { env });
    const { supervisor, pid } = await place.status("a");
    const names = Object.keys(environmentOf(pid!)).sort();
    const ours = [
      "MOORAGE_AGENT",
      "MOORAGE_ATTEMPT",
      "MOORAGE_INSTANCE",
      "MOORAGE_SOCKET",
      "MOORAGE_STATE",
      "MOORAGE_WORKSPACE",
    ];
    expect(names).toEqual(["HOME", "LANG", "LC_ALL", "PATH", "TMPDIR", "TZ", "USER", ...ours].sort());
    expect(environmentOf(supervisor!.pid!)).not.toHaveProperty("NODE_OPTIONS");
  });

  it("L68: edit and deploy: nothing is touched, and it is said to have diverged; edit and restart: one stop, one start", async () => {
    await using place = new Place();
    const lone = loneAgent(place);
    const command = JSON.stringify(lone.command);
    place.declare("a", `run: { command: ${command} }`);
    await place.deployDeclared();
    await until("it has begun", () => lone.runs().length === 1);
    place.declare("a", `run: { command: ${command} }\nenv: { NEW: "1" }`);
    const again = await place.askOne(["deploy"]);
    expect(again).toMatchObject({ exit: 0, outcome: "alreadyRunning", intent: "diverged" });
    expect((await place.run(["deploy"])).stdout).toContain("restart");
    expect((await place.run(["deploy", "--require-current"])).exit).toBe(4);
    expect(lone.runs()).toHaveLength(1);
    expect((await place.run(["restart", "a"])).exit).toBe(0);
    await until("the second run has begun", () => lone.runs().length === 2);
    expect(lone.endings()).toBe(1);
    expect(await place.askOne(["deploy", "--require-current"])).toMatchObject({ exit: 0, intent: "current" });
    expect(lone.runs()).toHaveLength(2);
  });
});
