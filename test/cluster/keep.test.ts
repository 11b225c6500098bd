// `moorage keep` on a cluster: what it starts again and what it leaves alone, beside another one, and when it is killed itself.
import { afterEach, describe, expect, test } from "vitest";
import type { KeepScene } from "./keep-scene.ts";
import { openKeepScene } from "./keep-scene.ts";
import { thisCluster } from "./this-cluster.ts";
import { until } from "./up/run.ts";

const { own } = thisCluster();

// Somebody's cluster has a registry that we do not push to.
describe.skipIf(own === null)("keep as a Deployment of one replica", () => {
  let scene: KeepScene;

  const open = async (): Promise<KeepScene> => {
    scene = await openKeepScene(own ?? expect.fail("no cluster of ours"));
    return scene;
  };
  afterEach(() => scene.close());

  test("starts again what crashed, one at a time, and takes no agent along when it is killed", async () => {
    const { deploy, end, untilKeepSays, untilRevived, killKeep, alive, uid, keepSays } = await open();
    const first = await deploy();
    await untilKeepSays("scribe: watching it: started");
    await end("crash");
    await untilKeepSays("scribe: ended (exit code 7); it is started again in 10 s");
    expect(await uid()).toBe(first);
    const second = await untilRevived(first);
    await untilKeepSays("scribe: watching it: started");
    expect((await keepSays()).filter((line) => line.includes("it runs again"))).toHaveLength(1);
    expect(alive()).toBe(1);

    await killKeep();
    await untilKeepSays("scribe: watching it: started");
    expect(await uid()).toBe(second);
    expect(alive()).toBe(1);
  });

  test("beside another one, as a process elsewhere, there still is exactly one agent", async () => {
    const { deploy, end, untilKeepSays, untilRevived, alive, uid, keepHere } = await open();
    const first = await deploy();
    await untilKeepSays("scribe: watching it: started");
    const other = keepHere();
    let said = "";
    for (const stream of [other.child.stdout, other.child.stderr])
      stream?.on("data", (bytes: Buffer) => {
        said += bytes.toString();
      });
    const otherSays = (words: string): Promise<void> =>
      until(`the other one says: ${words}`, () => said.trimEnd().split("\n").at(-1)?.includes(words) === true);
    try {
      await otherSays("scribe: watching it: started");
      await end("crash");
      const second = await untilRevived(first);
      await untilKeepSays("scribe: watching it: started");
      await otherSays("scribe: watching it: started");
      // Had either made another one, this would not be the one that came after the first.
      expect(await uid()).toBe(second);
      expect(alive()).toBe(1);
    } finally {
      other.child.kill("SIGINT");
      await other.done;
    }
  });

  test("leaves alone what ended well, what was stopped and what was removed, and says so", async () => {
    const { on, deploy, end, untilKeepSays, alive, uid, keepSays, removePod } = await open();
    const first = await deploy();
    await untilKeepSays("scribe: watching it: started");
    await end("done");
    await until("the notice is there", async () =>
      (await keepSays()).some((line) =>
        line.includes("scribe: ended (exit code 0) and is not started again: it ended by itself, with exit code 0"),
      ),
    );
    expect(await uid()).toBe(first);

    await deploy();
    await untilKeepSays("scribe: watching it: started");
    expect(await on.run(["stop", "scribe"])).toMatchObject({ exit: 0 });
    await untilKeepSays("scribe: not there: whoever stopped it meant it");

    await deploy();
    await untilKeepSays("scribe: watching it: started");
    await removePod();
    await untilKeepSays("scribe: not there: whoever stopped it meant it");
    expect(await uid()).toBeNull();
    expect(alive()).toBe(0);
    expect((await keepSays()).filter((line) => /started again in|starting it again/.test(line))).toEqual([]);
  });
});
