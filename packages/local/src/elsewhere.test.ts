import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { callerScript, moduleArguments } from "./caller.fixture.ts";
import type { Place, TestAgent } from "./scope.fixture.ts";
import {
  endNow,
  lives,
  pidsOf,
  present,
  remove,
  scopeForEach,
  startTestAgent,
  testAgent,
  until,
  untilAbsent,
  untilState,
} from "./scope.fixture.ts";
import type { Scope } from "./scope.ts";

let place: Place;
let scope: Scope;

scopeForEach((made, opened) => {
  place = made;
  scope = opened;
});

describe("the same key in two state directories", () => {
  it("is refused while the first lives, naming it; a name is not", async () => {
    const keyed = { identityKey: { as: "KEY" } };
    const agent = testAgent("scribe", ["sleep", "1000"], keyed);
    await startTestAgent(scope, agent);
    const elsewhere = await place.open({ stateDir: join(place.directory, "other") });
    expect(await elsewhere.substrate.createInstance(agent.spec)).toEqual({
      kind: "refused",
      refusal: { kind: "otherScope", scope: place.stateDir },
    });
    const named = testAgent("plain", ["sleep", "1000"]);
    await startTestAgent(scope, named);
    await startTestAgent(elsewhere, named);
    expect(await remove(scope, agent)).toBe("accepted");
    await untilAbsent(scope.substrate, agent);
    expect(await remove(scope, named)).toBe("accepted");
    expect(await remove(elsewhere, named)).toBe("accepted");
    await until(
      () => "nothing is registered any more",
      () => readdirSync(join(place.directory, "registry")).length === 0,
    );
    await until(
      () => "it is free",
      async () => {
        const created = await elsewhere.substrate.createInstance(agent.spec);
        return created.kind === "created";
      },
    );
  });

  it("is refused as long as a lost supervisor's agent lives", async () => {
    const agent = testAgent("scribe", ["sleep", "1000"], { identityKey: { as: "KEY" } });
    await startTestAgent(scope, agent);
    const before = await pidsOf(scope, agent);
    endNow(before.supervisor);
    await untilState(scope.substrate, agent, "terminated");
    const elsewhere = await place.open({ stateDir: join(place.directory, "other") });
    expect((await elsewhere.substrate.createInstance(agent.spec)).kind).toBe("refused");
    endNow(before.agent);
    await until(
      () => "it is free",
      async () => (await elsewhere.substrate.createInstance(agent.spec)).kind === "created",
    );
  });
});

describe("a copy of a state directory", () => {
  it("does not end the agent that runs in the directory it was copied from", async () => {
    const agent = testAgent("scribe", ["sleep", "1000"]);
    await startTestAgent(scope, agent);
    const before = await pidsOf(scope, agent);
    const copied = join(place.directory, "copy");
    spawnSync("cp", ["-a", place.stateDir, copied]);
    const copy = await place.open({ stateDir: copied });
    const { evidence } = await present(copy, agent);
    expect(evidence.container).toMatchObject({ state: "unjudgeable", cause: { code: "copiedState" } });
    expect(await remove(copy, agent)).toBe("cannotTell");
    expect((await present(scope, agent)).evidence.container.state).toBe("running");
    expect(lives(before.agent)).toBe(true);
    expect(await remove(scope, agent)).toBe("accepted");
    await untilAbsent(scope.substrate, agent);
    // Once nothing runs any more, it is a state directory like any other.
    await untilState(copy.substrate, agent, "terminated");
    expect(await remove(copy, agent)).toBe("accepted");
    await untilAbsent(copy.substrate, agent);
  });
});

describe.runIf(process.getuid?.() === 0 && process.platform === "linux")("as root on Linux", () => {
  it("cannot tell from another PID namespace as long as the agent of a lost supervisor lives, and can afterwards", async () => {
    const agent = testAgent("scribe", ["sleep", "1000"]);
    await startTestAgent(scope, agent);
    const before = await pidsOf(scope, agent);
    expect(fromOtherNamespace(agent)).toBe("running");
    endNow(before.supervisor);
    await untilState(scope.substrate, agent, "terminated");
    expect(fromOtherNamespace(agent)).toBe("unjudgeable");
    expect(lives(before.agent)).toBe(true);
    endNow(before.agent);
    await until(
      () => "the agent has ended",
      () => !lives(before.agent),
    );
    expect(fromOtherNamespace(agent)).toBe("terminated");
  });

  it("names processes that it may not end, and removes nothing", async () => {
    // The agent runs as root, the state belongs to a plain user, who then may not signal it.
    const directory = join(place.directory, "plain");
    mkdirSync(directory, { mode: 0o755 });
    const agent = testAgent("scribe", ["sleep", "1000"]);
    const rooted = await place.open({ stateDir: join(directory, "state") });
    await startTestAgent(rooted, agent);
    const [facts] = await rooted.facts();
    endNow(facts?.supervisor.pid ?? 0);
    await untilState(rooted.substrate, agent, "terminated");
    spawnSync("chown", ["-R", "4242:4242", directory]);
    for (const above of [place.directory, dirname(place.directory)]) chmodSync(above, 0o711);
    const script = callerScript(
      place,
      `const observed = await look(${JSON.stringify(agent.identity)});
       console.log(JSON.stringify(await scope.substrate.deleteInstance(${JSON.stringify(agent.instance)}, observed.fence)));
       await scope.settled(); scope.close();`,
      { stateDir: join(directory, "state") },
    );
    const child = spawnSync(
      "setpriv",
      [
        "--reuid=4242",
        "--regid=4242",
        "--clear-groups",
        process.execPath,
        "--input-type=module-typescript",
        "-e",
        script,
      ],
      {
        encoding: "utf8",
      },
    );
    expect(child.stderr).toBe("");
    expect(JSON.parse(child.stdout)).toMatchObject({
      kind: "refused",
      refusal: { kind: "leftoversRemain", processes: [{ pid: facts?.pid }] },
    });
    expect(lives(facts?.pid ?? 0)).toBe(true);
    expect(existsSync(directory)).toBe(true);
  });
});

function fromOtherNamespace(agent: TestAgent): string {
  const body = `console.log((await look(${JSON.stringify(agent.identity)})).evidence.container.state); scope.close();`;
  const child = spawnSync(
    "unshare",
    ["-pf", "--mount-proc", process.execPath, ...moduleArguments, callerScript(place, body)],
    { encoding: "utf8" },
  );
  if (child.status !== 0) throw new Error(child.stderr);
  return child.stdout.trim();
}
