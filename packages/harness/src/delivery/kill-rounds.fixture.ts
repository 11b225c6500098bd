/** Rounds of SIGKILL at random steps of a delivery on a real folder; run as a program it is the one that dies. */
import { spawn } from "node:child_process";
import fs from "node:fs";
import { basename, join } from "node:path";
import { type Disk, nodeDisk } from "@moorage/bundle/delivery";
import { inUse } from "@moorage/core";
import { provenCopy } from "./copies.ts";
import { contentOf, crash, healthy, Quay, run, takeTurn } from "./delivery.fixture.ts";
import { readDeliveryRecord } from "./delivery-files.ts";
import type { SlotDisk } from "./life-file.ts";

/** About as many steps as a program takes before it is done, so that some rounds get through. */
const stepsAtMost = 140;

/** A few bundles of each nature; a content that begins with `bad` breaks the agent. */
function life(root: string, seed: number): void {
  const random = chance(seed);
  const dieAt = Math.floor(random() * stepsAtMost);
  let steps = 0;
  const step = (): void => {
    if (steps++ === dieAt) process.kill(process.pid, "SIGKILL");
  };
  const quay = new Quay(root);
  const disk: Disk = {
    makeFolder: (path) => (step(), nodeDisk.makeFolder(path)),
    create: (path, mode) => (step(), nodeDisk.create(path, mode)),
    write: (file, bytes) => {
      nodeDisk.write(file, bytes.subarray(0, bytes.length >> 1));
      step();
      nodeDisk.write(file, bytes.subarray(bytes.length >> 1));
    },
    sync: (file) => (step(), nodeDisk.sync(file)),
    close: nodeDisk.close,
    rename: (from, to) => (step(), nodeDisk.rename(from, to), step()),
    symbolicLink: (to, path) => (step(), nodeDisk.symbolicLink(to, path)),
    syncFolder: (path) => (step(), nodeDisk.syncFolder(path)),
    remove: (path) => (step(), nodeDisk.remove(path)),
  };
  const slots: SlotDisk = {
    write: (file, bytes, at) => {
      const half = bytes.length >> 1;
      fs.writeSync(file, bytes, 0, half, at);
      step();
      fs.writeSync(file, bytes, half, bytes.length - half, at + half);
    },
    sync: (file) => (step(), fs.fdatasyncSync(file), step()),
  };
  const delivery = quay.open({}, { disk, slots, wallTime: Date.now });
  const start = delivery.prepareStart(run);
  if (start.kind !== "launch") throw new Error(`nothing can be launched: ${JSON.stringify(start)}`);
  contentOf(start.directory);
  delivery.started();
  for (let round = 0; round < 6; round += 1) {
    const nature = random() < 0.3 ? "bad" : "good";
    quay.publish(`${nature} ${seed} ${round}`);
    delivery.look(healthy);
    const content = takeTurn(delivery);
    quay.now += 20_000;
    if (content.startsWith("bad")) {
      const after = delivery.exited(crash, true);
      if (after.kind === "end") return;
      delivery.started();
      if (takeTurn(delivery).startsWith("bad")) throw new Error("it came back on a bad one");
    }
    delivery.look(healthy);
  }
}

export interface KillRounds {
  readonly root: string;
  readonly rounds: number;
  readonly seed: number;
}

/** Resolves with how many died. Rejects with the first round after which something was neither old nor new. */
export async function killRounds({ root, rounds, seed }: KillRounds): Promise<number> {
  new Quay(root).publish("good first");
  let died = 0;
  let floor = 0;
  for (let round = 0; round < rounds; round += 1) {
    const { signal, code, words } = await runOnce(root, seed + round);
    if (signal === "SIGKILL") died += 1;
    else if (code !== 0) throw new Error(`round ${round} of seed ${seed}: ${words}`);
    try {
      floor = judge(root, floor);
    } catch (error) {
      throw new Error(`round ${round} of seed ${seed}: ${String(error)}`, { cause: error });
    }
  }
  return died;
}

/**
 * What anybody finds at any moment: a life that can be read, and a link to a whole copy; and a start that does what it says.
 * Returns the highest sequence that was accepted, which never falls.
 */
function judge(root: string, floor: number): number {
  const quay = new Quay(root);
  const { folder, link } = quay;
  const before = readDeliveryRecord(folder);
  if (before.kind === "broken") throw new Error(`its life is broken: ${before.detail}`);
  if (fs.existsSync(link)) {
    contentOf(link);
    const name = basename(fs.realpathSync(link));
    if (provenCopy(`v1:sha256:${name.slice(0, 64)}`, folder) === null) throw new Error(`${name} is live and not whole`);
  }
  const delivery = quay.open({}, { wallTime: Date.now });
  try {
    const start = delivery.prepareStart(run);
    if (start.kind !== "launch") throw new Error(`nothing can be launched: ${JSON.stringify(start)}`);
    const now = readDeliveryRecord(folder);
    const used = now.kind === "life" ? inUse(now.record.life) : null;
    if (used?.catalogHash !== start.hash) throw new Error("it runs on something else than its life says");
    if (fs.realpathSync(link) !== fs.realpathSync(start.directory)) throw new Error("the link leads elsewhere");
    contentOf(link);
    const left = fs.readdirSync(folder).filter((each) => each.endsWith(".new") || each.endsWith(".aside"));
    if (left.length > 0) throw new Error(`something half is left: ${left.join(", ")}`);
    if (now.kind === "life" && now.record.life.use.kind === "confirmed" && contentOf(link).startsWith("bad"))
      throw new Error("a bad one is confirmed");
    const accepted = now.kind === "life" ? now.record.life.floor.sequence : 0;
    if (accepted < floor) throw new Error(`what was accepted fell from ${floor} to ${accepted}`);
    return accepted;
  } finally {
    delivery.close();
  }
}

async function runOnce(
  root: string,
  seed: number,
): Promise<{ readonly signal: string | null; readonly code: number | null; readonly words: string }> {
  const child = spawn(process.execPath, [import.meta.filename, root, String(seed)], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, NODE_COMPILE_CACHE: join(root, "compiled") },
  });
  let text = "";
  child.stderr.setEncoding("utf8").on("data", (part: string) => (text += part));
  return await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve({ code, signal, words: text }));
  });
}

/** The same numbers for the same seed. */
function chance(seed: number): () => number {
  let state = (seed * 2_654_435_761) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

if (process.argv[1] === import.meta.filename) {
  const [, , root = "", seed = "0"] = process.argv;
  life(root, Number(seed));
}
