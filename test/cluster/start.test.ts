// What a person sees of a start on a cluster: fresh, again, stopped, changed while it waits, and with images that cannot be had.
import { afterEach, expect, test } from "vitest";
import type { Scene } from "./scene.ts";
import { openScene } from "./scene.ts";

let scene: Scene;

afterEach(() => scene.end());

test("a fresh start in a namespace that is not there makes it, and the agent's own container runs", async () => {
  scene = await openScene({ namespaceMade: false });
  const outcome = await scene.start();
  expect(outcome).toMatchObject({ outcome: "started", intent: "current", agentId: scene.name });
  expect(await scene.instance()).toMatchObject({ evidence: { container: { state: "running" } } });
  expect(await scene.alive()).toBe(1);
});

test("in a namespace that is there it takes six requests at most, and a start of a running agent one", async () => {
  scene = await openScene();
  const fresh = await scene.start();
  expect(fresh).toMatchObject({ outcome: "started" });
  expect(fresh.requests).toBeLessThanOrEqual(6);
  const before = await scene.instance();
  expect(await scene.start()).toMatchObject({ outcome: "alreadyRunning", intent: "current", requests: 1 });
  expect(await scene.instance()).toEqual(before);
});

test("a stop ends the container and takes the Secret along; a second one finds nothing", async () => {
  scene = await openScene();
  await scene.start();
  expect(await scene.stop()).toMatchObject({ outcome: "stopped" });
  expect(await scene.alive()).toBe(0);
  expect(await scene.substrate.listSecrets(scene.identity)).toMatchObject({ kind: "read", secrets: [] });
  expect(await scene.stop()).toMatchObject({ outcome: "nothing" });
});

test("what waits for a registry that does not answer makes way for a changed declaration, and for that alone", async () => {
  scene = await openScene();
  // Nobody listens there: that may heal, so it is waited for.
  const image = `127.0.0.1:1/nowhere@sha256:${"0".repeat(64)}`;
  expect(await scene.start({ image, deadlineMs: 5_000 })).toMatchObject({ outcome: "notConfirmed" });
  const waiting = await scene.instance();
  expect(await scene.start({ image, deadlineMs: 1_000 })).toMatchObject({ outcome: "notConfirmed", intent: "current" });
  expect((await scene.instance())?.fence.uid).toBe(waiting?.fence.uid);
  expect(await scene.start()).toMatchObject({ outcome: "started", intent: "current" });
  expect((await scene.instance())?.fence.uid).not.toBe(waiting?.fence.uid);
});

test("a digest that the registry does not know is reported at once, and not deleted; the way out is a stop", async () => {
  scene = await openScene();
  const image = scene.here.image.replace(/@sha256:.*$/, `@sha256:${"0".repeat(64)}`);
  expect(await scene.start({ image })).toMatchObject({ outcome: "reported", condition: { code: "manifestUnknown" } });
  const failing = await scene.instance();
  expect(await scene.start()).toMatchObject({ outcome: "reported" });
  expect((await scene.instance())?.fence.uid).toBe(failing?.fence.uid);
  expect(await scene.stop()).toMatchObject({ outcome: "stopped" });
  expect(await scene.start()).toMatchObject({ outcome: "started" });
});

test("two starts with different images that race make one pod, and the loser takes back what it made alone", async () => {
  scene = await openScene();
  const tagged = scene.here.image.replace(/@sha256:.*$/, ":1");
  const [one, other] = await Promise.all([scene.start(), scene.start({ image: tagged })]);
  expect([one.outcome, other.outcome]).toContain("started");
  const running = await scene.instance();
  expect(await scene.alive()).toBe(1);
  for (const { outcome, attempt } of [one, other])
    if (outcome === "started" || outcome === "alreadyRunning") expect(attempt).toBe(running?.attempt);
  expect(await scene.substrate.listSecrets(scene.identity)).toMatchObject({
    secrets: [{ name: `${scene.name}-${running?.attempt}` }],
  });
});
