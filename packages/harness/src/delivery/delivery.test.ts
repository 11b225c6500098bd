import fs from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { CatalogEvent } from "../live-catalog.ts";
import { contentOf, crash, done, healthy, Quay, run, takeTurn, target } from "./delivery.fixture.ts";
import { askRetry, readAnswer, readDelivery } from "./delivery-files.ts";

let quay: Quay;

beforeEach(() => {
  quay = new Quay();
});
afterEach(() => quay.clear());

describe("a start", () => {
  it("without anything in its channel is one without a catalog", () => {
    expect(quay.open().prepareStart(run)).toEqual({ kind: "without" });
  });

  it("is on the assigned bundle as a trial where nothing was confirmed, and the link leads to it", () => {
    const one = quay.publish("one");
    const start = quay.open().prepareStart(run);
    expect(start).toMatchObject({ kind: "launch", link: quay.link, hash: one.catalogHash });
    expect(contentOf(quay.link)).toBe("one");
    expect(readDelivery(quay.folder)?.use.kind).toBe("trial");
    expect(quay.statesOf(one.digest)).toEqual(["offered", "fetched", "verified", "staged", "trial"]);
  });

  it("of a newcomer is on what its channel has confirmed, and the newer one comes once it runs", async () => {
    const one = quay.publish("one");
    quay.store.confirm({ channel: { fleet: "writers", catalog: "main" }, digest: one.digest, sequence: 1 });
    quay.publish("two");
    const delivery = await quay.running();
    expect(readDelivery(quay.folder)?.use).toMatchObject({ kind: "confirmed", bundle: { digest: one.digest } });
    expect(takeTurn(delivery)).toBe("one");
    delivery.look(healthy);
    expect(takeTurn(delivery)).toBe("two");
  });

  it("is a boundary for what was assigned meanwhile", async () => {
    quay.publish("one");
    (await quay.running()).exited(done, true);
    quay.publish("two");
    await quay.running();
    expect(contentOf(quay.link)).toBe("two");
  });

  it("is refused where the one bundle of its channel is for another runtime, by its axis", () => {
    quay.publish("one", { target: { ...target, wireVersion: 9 } });
    expect(quay.open().prepareStart(run)).toMatchObject({ kind: "refused", why: expect.stringContaining("wire") });
    expect(fs.existsSync(quay.link)).toBe(false);
  });

  it("is refused where its trust root is not the pinned one", () => {
    quay.publish("one");
    const start = quay.open({ trustPin: `sha256:${"0".repeat(64)}` }).prepareStart(run);
    expect(start).toMatchObject({ kind: "refused", why: expect.stringContaining("trust root") });
  });

  it("unpacks a confirmed copy that is damaged once more, and never makes it live", async () => {
    quay.publish("one");
    const delivery = await quay.running();
    quay.prove(delivery);
    expect(readDelivery(quay.folder)?.use.kind).toBe("confirmed");
    delivery.exited(done, true);
    const damaged = fs.realpathSync(quay.link);
    fs.chmodSync(join(damaged, "a.md"), 0o600);
    fs.writeFileSync(join(damaged, "a.md"), "evil");
    await quay.running();
    expect(contentOf(quay.link)).toBe("one");
  });

  it("needs no store for a copy that is whole", async () => {
    quay.publish("one");
    (await quay.running()).exited(done, true);
    fs.rmSync(join(quay.root, "bundles"), { recursive: true });
    await quay.running();
    expect(contentOf(quay.link)).toBe("one");
  });

  it("says what is wrong where copy and store are both gone", async () => {
    const { catalogHash } = quay.publish("one");
    const delivery = await quay.running();
    quay.prove(delivery);
    delivery.exited(done, true);
    fs.rmSync(join(quay.root, "bundles"), { recursive: true });
    for (const name of fs.readdirSync(quay.folder))
      if (name.startsWith(catalogHash.slice(-64))) fs.rmSync(join(quay.folder, name), { recursive: true });
    expect(quay.open().prepareStart(run)).toMatchObject({ kind: "refused", why: expect.stringContaining("neither") });
  });

  it("of a trial whose content is lost is on the last known good one", async () => {
    quay.publish("one");
    const delivery = await quay.running();
    quay.prove(delivery);
    const two = quay.publish("two");
    delivery.look(healthy);
    takeTurn(delivery);
    delivery.exited(done, true);
    for (const name of fs.readdirSync(quay.folder))
      if (name.startsWith(two.catalogHash.slice(-64))) fs.rmSync(join(quay.folder, name), { recursive: true });
    const file = join(quay.root, "bundles", "sha256", `${two.digest.slice(-64)}.bundle`);
    fs.truncateSync(file, fs.statSync(file).size - 1);
    await quay.running();
    expect(contentOf(quay.link)).toBe("one");
    expect(quay.raised).toMatchObject([{ about: "bundleReverted" }]);
  });
});

describe("a bundle", () => {
  it("goes live at a turn, is proven by it and by time, and is answered and confirmed", async () => {
    quay.publish("one");
    const delivery = await quay.running();
    const two = quay.publish("two");
    delivery.connected();
    delivery.look(healthy);
    expect(delivery.staged()).toMatchObject({ digest: two.digest, sequence: 2 });
    expect(contentOf(quay.link)).toBe("one");
    expect(takeTurn(delivery)).toBe("two");
    quay.now += 9_000;
    delivery.look(healthy);
    expect(readDelivery(quay.folder)?.use.kind).toBe("trial");
    expect(delivery.dueAt()).toBeGreaterThan(quay.now);
    quay.now += 2_000;
    delivery.look(healthy);
    expect(readDelivery(quay.folder)?.use).toMatchObject({ kind: "confirmed", proof: "proven" });
    expect(readAnswer(quay.folder)).toMatchObject({ verdict: "ack", digest: two.digest, inUse: two.catalogHash });
    expect(quay.store.confirmed({ fleet: "writers", catalog: "main" })).toMatchObject({ digest: two.digest });
  });

  it("is not proven by a turn that failed, nor by one that began before", async () => {
    quay.publish("one");
    const delivery = await quay.running();
    const before = delivery.current();
    quay.publish("two");
    delivery.look(healthy);
    delivery.connected();
    delivery.boundary();
    delivery.turnCompleted(before?.hash ?? "");
    quay.now += 20_000;
    delivery.look(healthy);
    expect(readDelivery(quay.folder)?.use.kind).toBe("trial");
  });

  it("waits for a start where the agent takes no part, and is unproven then", async () => {
    quay.publish("one");
    const delivery = await quay.running();
    quay.now += 20_000;
    quay.publish("two");
    delivery.look(healthy);
    quay.now += 20_000;
    delivery.look(healthy);
    expect(contentOf(quay.link)).toBe("one");
    expect(readDelivery(quay.folder)).toMatchObject({ use: { proof: "unproven" }, next: { state: "staged" } });
    delivery.exited(done, true);
    delivery.prepareStart(run);
    expect(contentOf(quay.link)).toBe("two");
  });

  it("that changes what is read at a start alone waits for that", async () => {
    quay.publish("one");
    const delivery = await quay.running();
    takeTurn(delivery);
    quay.publish("two", { effect: "start" });
    delivery.look(healthy);
    expect(takeTurn(delivery)).toBe("one");
    delivery.exited(done, true);
    delivery.prepareStart(run);
    expect(contentOf(quay.link)).toBe("two");
  });

  it("is told as it goes live, with the signal where one is declared and the process had time to prepare", async () => {
    quay.publish("one");
    const delivery = await quay.running({ signal: "SIGHUP" });
    const events: CatalogEvent[] = [];
    delivery.listen({ hear: (event) => void events.push(event), held: () => new Set() });
    quay.publish("two");
    delivery.look(healthy);
    expect(contentOf(quay.link)).toBe("one");
    quay.now += 2_000;
    delivery.look(healthy);
    expect(contentOf(quay.link)).toBe("two");
    expect(events.map(({ kind }) => kind)).toEqual(["staged", "switched", "signal"]);
    expect(events.at(-1)).toEqual({ kind: "signal", signal: "SIGHUP" });
  });

  it("with a signal that no catalog is told by is never begun with", () => {
    quay.publish("one");
    expect(quay.open({ signal: "SIGKILL" }).prepareStart(run)).toMatchObject({ kind: "refused" });
  });

  it("is put off by the agent's word, told again, and a person hears of one that is put off again and again", async () => {
    quay.publish("one");
    const delivery = await quay.running();
    const two = quay.publish("two");
    delivery.connected();
    delivery.look(healthy);
    for (let times = 1; times <= 5; times += 1) {
      expect(delivery.answer({ digest: two.digest, answer: "notNow", detail: null })).toBe(true);
      expect(delivery.answer({ digest: two.digest, answer: "notNow", detail: null })).toBe(false);
      expect(takeTurn(delivery)).toBe("one");
      quay.now += 60_000;
      delivery.look(healthy);
    }
    await delivery.settled();
    expect(quay.raised).toMatchObject([{ about: "bundlePutOff", subject: { kind: "agent", name: "scribe" } }]);
    expect(takeTurn(delivery)).toBe("two");
  });

  it("that is refused is answered and noticed, and what is in use stays", async () => {
    const one = quay.publish("one");
    const delivery = await quay.running();
    const two = quay.publish("two", { target: { ...target, eventLogSchema: 3 } });
    delivery.look(healthy);
    expect(takeTurn(delivery)).toBe("one");
    expect(readAnswer(quay.folder)).toMatchObject({
      verdict: "nack",
      digest: two.digest,
      inUse: one.catalogHash,
      why: { reason: "incompatible", axis: "eventLogSchema", expected: 3, actual: 2 },
    });
    await delivery.settled();
    expect(quay.raised).toMatchObject([{ about: "bundleRefused", choices: ["acknowledge"] }]);
  });

  it("that lies damaged in the store is refused, a person's word tries it again", async () => {
    quay.publish("one");
    const delivery = await quay.running();
    const two = quay.publish("two");
    const file = join(quay.root, "bundles", "sha256", `${two.digest.slice(-64)}.bundle`);
    const whole = fs.readFileSync(file);
    fs.writeFileSync(file, Buffer.from(whole).fill(0, whole.length - 1));
    delivery.look(healthy);
    expect(takeTurn(delivery)).toBe("one");
    expect(readAnswer(quay.folder)?.why?.reason).toBe("corrupt");
    fs.writeFileSync(file, whole);
    delivery.look(healthy);
    expect(takeTurn(delivery)).toBe("one");
    askRetry(quay.folder, two.digest);
    delivery.look(healthy);
    expect(takeTurn(delivery)).toBe("two");
    expect(fs.readdirSync(quay.folder).filter((name) => name.startsWith("retry"))).toEqual([]);
  });

  it("that is lost in the store is answered so", async () => {
    quay.publish("one");
    const delivery = await quay.running();
    const two = quay.publish("two");
    fs.rmSync(join(quay.root, "bundles", "sha256", `${two.digest.slice(-64)}.bundle`));
    delivery.look(healthy);
    expect(readAnswer(quay.folder)).toMatchObject({ verdict: "nack", why: { reason: "corrupt" } });
    expect(takeTurn(delivery)).toBe("one");
  });
});

describe("a process that fails on trial", () => {
  async function trialOfTwo(): Promise<{ delivery: Awaited<ReturnType<Quay["running"]>>; two: string }> {
    quay.publish("one");
    const delivery = await quay.running();
    quay.prove(delivery);
    const { digest } = quay.publish("two");
    delivery.look(healthy);
    expect(takeTurn(delivery)).toBe("two");
    return { delivery, two: digest };
  }

  it("is brought back on the last good one, which then is what it was; the notice has the end of its log", async () => {
    const { delivery, two } = await trialOfTwo();
    expect(delivery.exited(crash, true)).toMatchObject({ kind: "again", why: expect.stringContaining("exit code 1") });
    expect(contentOf(quay.link)).toBe("one");
    expect(delivery.current()?.directory).toBe(fs.realpathSync(quay.link));
    await delivery.settled();
    expect(quay.raised).toMatchObject([
      {
        about: "bundleReverted",
        evidence: { bundle: two, build: "b1", reason: "crash", log: "the end of its log" },
        choices: ["retry", "acknowledge"],
      },
    ]);
    expect(readAnswer(quay.folder)).toMatchObject({ verdict: "nack", digest: two, why: { reason: "crash" } });
    delivery.started();
    quay.now += 11_000;
    delivery.look(healthy);
    expect(readDelivery(quay.folder)?.use.kind).toBe("confirmed");
    expect(takeTurn(delivery)).toBe("one");
  });

  it("and fails again once it was brought back ends, and is told so", async () => {
    const { delivery } = await trialOfTwo();
    delivery.exited(crash, true);
    delivery.started();
    expect(delivery.exited(crash, true)).toMatchObject({ kind: "end", failed: expect.any(String) });
    await delivery.settled();
    expect(quay.raised.map(({ about }) => about)).toEqual(["bundleReverted", "agentEnded"]);
  });

  it("and has no last known good one ends", async () => {
    quay.publish("one");
    const delivery = await quay.running();
    expect(delivery.exited(crash, true)).toEqual({ kind: "end", failed: null });
    expect(readDelivery(quay.folder)?.use.kind).toBe("ended");
  });

  it.each([
    ["its work is done", done, true],
    ["its configuration is wrong", { ...crash, exitCode: 78 }, true],
    ["it could not be started", { ...crash, reason: "notStarted", exitCode: null }, true],
    ["somebody asked it to end, whatever came of it", crash, false],
  ] as const)("by an end that proves nothing: %s", async (_, ending, mayGoOn) => {
    const { delivery } = await trialOfTwo();
    expect(delivery.exited(ending, mayGoOn)).toEqual({ kind: "end", failed: null });
    expect(readDelivery(quay.folder)?.use.kind).toBe("trial");
    expect(delivery.prepareStart(run)).toMatchObject({ kind: "launch" });
    expect(contentOf(quay.link)).toBe("two");
  });

  it.each([
    ["a signal", { ...crash, reason: "signaled", exitCode: null, signal: "SIGSEGV" }],
    ["want of memory", { ...crash, reason: "outOfMemory", exitCode: null, signal: "SIGKILL" }],
  ] as const)("by %s has crashed", async (_, ending) => {
    const { delivery } = await trialOfTwo();
    expect(delivery.exited(ending, true).kind).toBe("again");
  });

  it("by bad health, or by its own word, is ended gracefully and then brought back", async () => {
    for (const how of ["health", "reload"] as const) {
      const { delivery, two } = await trialOfTwo();
      const events: CatalogEvent[] = [];
      delivery.listen({ hear: (event) => void events.push(event), held: () => new Set() });
      if (how === "health") delivery.unhealthy("no answer");
      else delivery.answer({ digest: two, answer: "failed", detail: "no such tool" });
      expect(events).toEqual([{ kind: "endProcess" }]);
      expect(contentOf(quay.link)).toBe("two");
      const why = expect.stringContaining(how === "health" ? "no answer" : "no such tool") as string;
      expect(delivery.exited(done, true)).toEqual({ kind: "again", why });
      expect(contentOf(quay.link)).toBe("one");
      quay.clear();
      quay = new Quay();
    }
  });

  it("by bad health, and is asked to end meanwhile, ends", async () => {
    const { delivery } = await trialOfTwo();
    delivery.unhealthy("no answer");
    expect(delivery.exited(done, false)).toEqual({ kind: "end", failed: null });
    expect(delivery.prepareStart(run)).toMatchObject({ kind: "launch" });
    expect(contentOf(quay.link)).toBe("one");
  });

  it("once it is confirmed is nobody's fault: it ends as any agent does", async () => {
    const { delivery } = await trialOfTwo();
    quay.now += 20_000;
    delivery.look(healthy);
    delivery.unhealthy("no answer");
    expect(delivery.answer({ digest: "sha256:2", answer: "failed", detail: null })).toBe(false);
    expect(delivery.exited(crash, true)).toEqual({ kind: "end", failed: null });
    await delivery.settled();
    expect(quay.raised).toEqual([]);
  });
});

it("old copies of an agent that takes turns go, but for those that a turn has", async () => {
  quay.publish("first");
  const delivery = await quay.running();
  const held = new Set([delivery.current()?.directory ?? ""]);
  delivery.listen({ hear: () => undefined, held: () => held });
  for (let count = 0; count < 30; count += 1) {
    quay.publish(`content ${count}`);
    delivery.look(healthy);
    expect(takeTurn(delivery)).toBe(`content ${count}`);
  }
  const copies = fs.readdirSync(quay.folder).filter((name) => /^[0-9a-f]{64}\./.test(name));
  expect(copies.length).toBeLessThan(20);
  for (const directory of held) expect(contentOf(directory)).toBe("first");
});
