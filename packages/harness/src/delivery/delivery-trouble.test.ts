import fs from "node:fs";
import { join } from "node:path";
import { type Disk, nodeDisk } from "@moorage/bundle/delivery";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { channel, contentOf, crash, healthy, Quay, run, takeTurn, target } from "./delivery.fixture.ts";
import { askRetry, deliveryPaths, readAnswer, readDelivery } from "./delivery-files.ts";
import type { SlotDisk } from "./life-file.ts";

let quay: Quay;

beforeEach(() => {
  quay = new Quay();
});
afterEach(() => quay.clear());

class FailingDisk {
  code = "ENOSPC";
  /** Before the step of this number, counted from 0, nothing fails. */
  from = Number.POSITIVE_INFINITY;
  steps = 0;

  #step(): void {
    this.steps += 1;
    if (this.steps > this.from) throw Object.assign(new Error(this.code), { code: this.code });
  }

  readonly disk: Disk = {
    makeFolder: (path) => (this.#step(), nodeDisk.makeFolder(path)),
    create: (path, mode) => (this.#step(), nodeDisk.create(path, mode)),
    write: (file, bytes) => {
      nodeDisk.write(file, bytes.subarray(0, bytes.length >> 1));
      this.#step();
      nodeDisk.write(file, bytes.subarray(bytes.length >> 1));
    },
    sync: (file) => (this.#step(), nodeDisk.sync(file)),
    close: nodeDisk.close,
    rename: (from, to) => (this.#step(), nodeDisk.rename(from, to)),
    symbolicLink: (to, path) => (this.#step(), nodeDisk.symbolicLink(to, path)),
    syncFolder: (path) => (this.#step(), nodeDisk.syncFolder(path)),
    remove: nodeDisk.remove,
  };

  readonly slots: SlotDisk = {
    write: (file, bytes, at) => {
      fs.writeSync(file, bytes, 0, bytes.length >> 1, at);
      this.#step();
      fs.writeSync(file, bytes, bytes.length >> 1, bytes.length - (bytes.length >> 1), at + (bytes.length >> 1));
    },
    sync: (file) => (this.#step(), fs.fdatasyncSync(file)),
  };
}

describe("a switch that nobody could put on record any more", () => {
  it("is told by the next start, and what was assigned meanwhile is offered after it", async () => {
    quay.publish("one");
    const failing = new FailingDisk();
    const killed = await quay.running({}, { slots: failing.slots });
    quay.prove(killed);
    quay.publish("two");
    killed.look(healthy);
    // That it switches is on record, and nothing after it.
    failing.from = failing.steps + 2;
    takeTurn(killed);
    expect(readDelivery(quay.folder)?.next).toMatchObject({ state: "staged", switching: true });
    killed.close();
    quay.publish("three");
    const delivery = await quay.running();
    expect([takeTurn(delivery), contentOf(quay.link)]).toEqual(["three", "three"]);
  });
});

describe("a disk that is full, read-only or failing", () => {
  it.each(["ENOSPC", "EROFS", "EIO"])(
    "(%s) at any step keeps what is in use, and it goes on once there is room",
    async (code) => {
      for (let from = 0; ; from += 1) {
        quay.clear();
        quay = new Quay();
        quay.publish("one");
        const failing = new FailingDisk();
        failing.code = code;
        const delivery = await quay.running({}, { disk: failing.disk, slots: failing.slots });
        quay.prove(delivery);
        const two = quay.publish("two");
        failing.steps = 0;
        failing.from = from;
        delivery.look(healthy);
        const seen = takeTurn(delivery);
        expect(contentOf(quay.link)).toBe(seen);
        quay.now += 20_000;
        delivery.look(healthy);
        const reached = failing.steps > failing.from;
        failing.from = Number.POSITIVE_INFINITY;
        if (reached) expect(quay.troubles().length).toBeGreaterThan(0);
        for (let times = 0; times < 5; times += 1) {
          quay.now += 20_000;
          delivery.look(healthy);
          takeTurn(delivery);
        }
        expect(takeTurn(delivery)).toBe("two");
        expect(readDelivery(quay.folder)?.use).toMatchObject({ kind: "confirmed", bundle: { digest: two.digest } });
        expect(readDelivery(quay.folder)?.quarantine).toEqual([]);
        if (!reached) return;
      }
    },
  );

  it("at any step of a first start refuses it in words, and nothing half is live", () => {
    for (let from = 0; ; from += 1) {
      quay.clear();
      quay = new Quay();
      quay.publish("one");
      const failing = new FailingDisk();
      failing.from = from;
      const start = quay.open({}, { disk: failing.disk, slots: failing.slots }).prepareStart(run);
      const reached = failing.steps > failing.from;
      if (start.kind === "launch") expect(contentOf(quay.link)).toBe("one");
      else expect(start).toMatchObject({ kind: "refused", why: expect.stringMatching(/full|record/) });
      expect(quay.open().prepareStart(run)).toMatchObject({ kind: "launch" });
      expect(contentOf(quay.link)).toBe("one");
      if (!reached) return;
    }
  });

  it("is told as the cause of a delay that ends by itself", async () => {
    quay.publish("one");
    const failing = new FailingDisk();
    const delivery = await quay.running({}, { disk: failing.disk });
    const two = quay.publish("two");
    failing.from = failing.steps;
    delivery.look(healthy);
    expect(readDelivery(quay.folder)?.next).toMatchObject({ state: "deferred", cause: "diskFull" });
    expect(quay.troubles()).toEqual([expect.stringContaining("the disk is full")]);
    failing.from = Number.POSITIVE_INFINITY;
    delivery.look(healthy);
    expect(takeTurn(delivery)).toBe("one");
    expect(delivery.dueAt()).toBeGreaterThan(quay.now);
    askRetry(quay.folder, two.digest);
    delivery.look(healthy);
    expect(takeTurn(delivery)).toBe("two");
  });

  it("that keeps a crash from being put on record lets the agent end, and the trial goes on", async () => {
    quay.publish("one");
    const failing = new FailingDisk();
    const delivery = await quay.running({}, { slots: failing.slots });
    failing.from = failing.steps;
    expect(delivery.exited(crash, true)).toEqual({ kind: "end", failed: null });
    expect(readDelivery(quay.folder)?.use.kind).toBe("trial");
  });
});

describe("a life that cannot be read", () => {
  it("is kept aside and told; the next begins from what its channel has confirmed", async () => {
    quay.publish("one");
    const delivery = await quay.running();
    quay.prove(delivery);
    delivery.close();
    fs.writeFileSync(deliveryPaths(quay.folder).life, "nonsense");
    expect(readDelivery(quay.folder)).toBe(null);
    await quay.running();
    expect(readDelivery(quay.folder)?.use).toMatchObject({ kind: "confirmed" });
    expect(contentOf(quay.link)).toBe("one");
    const aside = fs.readdirSync(quay.folder).filter((name) => name.endsWith(".aside"));
    expect(aside.map((name) => fs.readFileSync(join(quay.folder, name), "utf8"))).toEqual(["nonsense"]);
    expect(quay.troubles()).toEqual([expect.stringContaining("cannot be gone on with")]);
  });

  it("is no reason to accept less than the instance was stamped with", () => {
    quay.publish("one");
    const floor = { sequence: 5, digest: null, rootVersion: 1 };
    expect(quay.open({ floor }).prepareStart(run)).toMatchObject({ kind: "refused" });
  });

  it("of another channel is kept aside as well", async () => {
    quay.publish("one");
    (await quay.running()).close();
    const other = { ...channel, catalog: "other" };
    expect(quay.open({ channel: other }).prepareStart(run)).toEqual({ kind: "without" });
    expect(fs.readdirSync(quay.folder).some((name) => name.endsWith(".aside"))).toBe(true);
  });
});

describe("a harness that is killed", () => {
  it("raises a notice that nobody heard, and the same once more is the same notice", async () => {
    quay.publish("one");
    const delivery = await quay.running();
    quay.mailboxIsThere = false;
    quay.publish("two", { target: { ...target, wireVersion: 9 } });
    delivery.look(healthy);
    await delivery.settled();
    expect(quay.raised).toEqual([]);
    delivery.close();
    quay.mailboxIsThere = true;
    quay.logTail = "another end";
    const next = await quay.running();
    await next.settled();
    expect(quay.raised).toMatchObject([{ about: "bundleRefused" }]);
    next.close();
    await quay.running();
    expect(quay.raised).toHaveLength(1);
  });

  it("answers what it had answered once more, and nothing else comes twice", async () => {
    quay.publish("one");
    const delivery = await quay.running();
    quay.prove(delivery);
    delivery.close();
    const answered = readAnswer(quay.folder);
    fs.rmSync(deliveryPaths(quay.folder).answer);
    const before = readDelivery(quay.folder);
    await quay.running();
    expect(readAnswer(quay.folder)).toMatchObject({ verdict: "ack", digest: answered?.digest });
    expect(readDelivery(quay.folder)).toEqual({ ...before, run });
    expect(quay.raised).toEqual([]);
  });

  it("between the switch and its record goes on with either, at the next start", async () => {
    for (const slotsFail of [true, false]) {
      quay.clear();
      quay = new Quay();
      quay.publish("one");
      const failing = new FailingDisk();
      const delivery = await quay.running({}, { slots: failing.slots });
      quay.publish("two");
      delivery.look(healthy);
      delivery.connected();
      // The decision to switch takes two steps of the slots; what it came to would be the next.
      failing.steps = 0;
      failing.from = slotsFail ? 2 : Number.POSITIVE_INFINITY;
      delivery.boundary();
      expect(contentOf(quay.link)).toBe("two");
      expect(readDelivery(quay.folder)?.use).toMatchObject({ kind: "trial", bundle: { sequence: slotsFail ? 1 : 2 } });
      delivery.close();
      await quay.running();
      expect(contentOf(quay.link)).toBe("two");
      expect(readDelivery(quay.folder)?.use).toMatchObject({ kind: "trial", bundle: { sequence: 2 } });
    }
  });
});

it("a turn without anything new costs no record, one with a bundle two, and a look at what is known none", async () => {
  quay.publish("one");
  const counting = new FailingDisk();
  const delivery = await quay.running({}, { slots: counting.slots });
  delivery.connected();
  const recordsOf = (work: () => void): number => {
    counting.steps = 0;
    work();
    // Each is written and synced.
    return counting.steps / 2;
  };
  expect(recordsOf(() => delivery.boundary())).toBe(0);
  quay.publish("two");
  expect(recordsOf(() => delivery.look(healthy))).toBe(1);
  expect(recordsOf(() => delivery.boundary())).toBe(2);
  expect(recordsOf(() => delivery.look(healthy))).toBe(0);
  expect(recordsOf(() => delivery.turnCompleted(delivery.current()?.hash ?? ""))).toBe(1);
  expect(recordsOf(() => delivery.turnCompleted(delivery.current()?.hash ?? ""))).toBe(0);
});

it("words and offers that make no sense are told, and change nothing", async () => {
  quay.publish("one");
  const delivery = await quay.running();
  fs.writeFileSync(join(quay.folder, "retry-00.json"), "{");
  fs.writeFileSync(deliveryPaths(quay.folder).offer, '{"format":1,"digest":"sha256:zz"}');
  fs.writeFileSync(deliveryPaths(quay.folder).answer, "[]");
  delivery.look(healthy);
  expect(quay.troubles()).toEqual([expect.stringContaining("retry-00.json")]);
  expect(fs.existsSync(join(quay.folder, "retry-00.json"))).toBe(false);
  expect(takeTurn(delivery)).toBe("one");
  expect(readAnswer(quay.folder)).toBe(null);
});
