import { spawn } from "node:child_process";
import fs from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "./catalog-folder.fixture.ts";
import {
  channel,
  goLive,
  headOne,
  liveOne,
  newFiles,
  newManifest,
  oldFiles,
  oldManifest,
  onlyWholeCopies,
  openScene,
  troubledDisk,
} from "./store-scene.fixture.ts";

const program = new URL("./store-scene.fixture.ts", import.meta.url).pathname;

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

async function run(...args: readonly string[]): Promise<{ readonly signal: string | null; readonly out: string }> {
  const child = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise<string | null>((resolve) => child.once("close", (_, signal) => resolve(signal)));
  let out = "";
  for await (const chunk of child.stdout) out += String(chunk);
  return { signal: await ended, out };
}

/** Works through a list, a few at a time. */
async function several<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const left = [...items];
  const worker = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all([worker(), worker(), worker()]);
}

/** How many steps the way from one bundle to the next has. */
function countSteps(): number {
  let steps = 0;
  const place = `${folder}/count`;
  goLive(openScene(place), oldManifest, oldFiles);
  goLive(
    openScene(
      place,
      troubledDisk(() => (steps += 1)),
    ),
    newManifest,
    newFiles,
  );
  return steps;
}

test("T38: kill -9 at each step: the old or the new, whole, and the next call goes on", {
  timeout: 180_000,
}, async () => {
  const steps = countSteps();
  expect(steps).toBeGreaterThan(15);
  const seen = new Set<string>();
  const each = Array.from({ length: steps }, (_, step) => step);
  await several(each, async (step) => {
    const place = `${folder}/${step}`;
    const scene = openScene(place);
    goLive(scene, oldManifest, oldFiles);
    const { signal } = await run(place, "die", String(step));
    expect(`step ${step}: ${signal}`).toBe(`step ${step}: SIGKILL`);
    const before = `${headOne(scene)} ${liveOne(scene)}`;
    expect(onlyWholeCopies(scene)).toBe(true);
    seen.add(before);
    expect(["published", "already"]).toContain(goLive(scene, newManifest, newFiles).kind);
    expect(`${headOne(scene)} ${liveOne(scene)}`).toBe("new new");
    fs.rmSync(place, { recursive: true });
  });
  // All that may be seen was seen: never a new one that is live and not published.
  expect([...seen].sort()).toEqual(["new new", "new old", "old old"]);
});

test.each([
  ["storeFull", "ENOSPC"],
  ["storeFull", "EDQUOT"],
  ["storeReadOnly", "EROFS"],
  ["storeFault", "EIO"],
])("%s at each step (%s): an error that says so, nothing half, and the next call goes on", (code, errno) => {
  const steps = countSteps();
  for (let step = 0; step < steps; step += 1) {
    const place = `${folder}/${errno}-${step}`;
    const scene = openScene(place);
    goLive(scene, oldManifest, oldFiles);
    const disk = troubledDisk((_, count) => {
      if (count === step) throw Object.assign(new Error(`${errno}: of the disk`), { code: errno });
    });
    expect(() => goLive(openScene(place, disk), newManifest, newFiles)).toThrow(
      expect.objectContaining({ code, hint: expect.stringMatching(/./), message: expect.stringContaining(errno) }),
    );
    headOne(scene);
    liveOne(scene);
    expect(onlyWholeCopies(scene)).toBe(true);
    const left = fs.readdirSync(place, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".new"));
    expect(left).toEqual([]);
    goLive(scene, newManifest, newFiles);
    expect(`${headOne(scene)} ${liveOne(scene)}`).toBe("new new");
    fs.rmSync(place, { recursive: true });
  }
});

test("T58: of publishers on one parent, in processes of their own, one wins and the others are told", {
  timeout: 60_000,
}, async () => {
  const scene = openScene(folder);
  goLive(scene, oldManifest, oldFiles);
  const told = await Promise.all(["a", "b", "c", "d"].map((name) => run(folder, "publish", name)));
  expect(told.map(({ out }) => out).sort()).toEqual(["published", "worldMoved", "worldMoved", "worldMoved"]);
  expect(scene.store.head(channel)?.sequence).toBe(2);
});

test("T58: one that publishes between another's look and its own step wins, and the other is told by whom", () => {
  goLive(openScene(folder), oldManifest, oldFiles);
  let raced = false;
  const disk = troubledDisk((step) => {
    if (step !== "symbolicLink" || raced) return;
    raced = true;
    expect(goLive(openScene(folder), newManifest, newFiles).kind).toBe("published");
  });
  const late = { ...newManifest, created: "2026-01-03T00:00:00.000Z" };
  const publication = goLive(openScene(folder, disk), late, newFiles);
  expect(publication).toMatchObject({ kind: "worldMoved", head: { sequence: 2 } });
});
