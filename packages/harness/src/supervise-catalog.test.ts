import fs from "node:fs";
import http from "node:http";
import { join } from "node:path";
import type { LifeRun } from "@moorage/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { awakeClock } from "./awake-clock.ts";
import { contentOf, filesOf, Quay, run } from "./delivery/delivery.fixture.ts";
import type { Delivery } from "./delivery/delivery.ts";
import { readAnswer, readDelivery } from "./delivery/delivery-files.ts";
import type { Look } from "./record.ts";
import type { SupervisorSpec } from "./spec.ts";
import type { Mooring } from "./supervise.fixture.ts";
import { Harbour, until } from "./supervise.fixture.ts";

const harbour = new Harbour();
let quay: Quay;
let delivery: Delivery;
const clock = awakeClock();

beforeEach(() => {
  quay = new Quay();
  quay.publish("one");
});
afterEach(async () => {
  await harbour.clear();
  quay.clear();
});

const patient = "echo up; trap 'exit 0' TERM; while :; do sleep 0.02; done";
/** Crashes as soon as what it reads is bad. */
const touchy =
  'echo "up $(cat "$MOORAGE_CATALOG/a.md")"; trap "exit 0" TERM; while :; do if grep -q bad "$MOORAGE_CATALOG/a.md"; then exit 7; fi; sleep 0.02; done';

interface MoorOptions {
  readonly signal?: string;
  readonly run?: Partial<LifeRun>;
  readonly spec?: Partial<SupervisorSpec>;
}

async function moor(script: string, options: MoorOptions = {}): Promise<Mooring> {
  delivery = quay.open({ signal: options.signal ?? null }, { clock, wallTime: Date.now });
  expect(delivery.prepareStart({ ...run, bakeMs: 200, ...options.run })).toMatchObject({ kind: "launch" });
  return await again(script, options);
}

async function again(script: string, options: MoorOptions = {}): Promise<Mooring> {
  const mooring = harbour.moor(script, { catalogDir: quay.link, ...options.spec }, { catalog: delivery, clock });
  await mooring.says("up");
  await mooring.runs();
  return mooring;
}

const state = (): string | undefined => readDelivery(quay.folder)?.use.kind;

/** As whoever published and assigned does. */
async function assign(mooring: Mooring, content: string): Promise<void> {
  quay.publish(content);
  await mooring.call("POST", "/v1/stop");
}

async function confirmed(): Promise<void> {
  await until(
    () => state() === "confirmed",
    () => `it is confirmed: ${state()}`,
  );
}

async function takeTurn(mooring: Mooring): Promise<string> {
  const { body } = await mooring.call("POST", "/v1/turns");
  const content = contentOf(String(body["catalog"]));
  await mooring.call("DELETE", `/v1/turns/${String(body["id"])}`);
  return content;
}

async function read(mooring: Mooring, path: string): Promise<string> {
  return await new Promise((resolve, reject) => {
    const request = http.get({ socketPath: mooring.spec.socketPath, path, agent: false }, (response) => {
      let all = "";
      response.setEncoding("utf8").on("data", (part: string) => (all += part));
      response.on("end", () => resolve(all));
    });
    request.on("error", reject);
  });
}

async function listen(mooring: Mooring): Promise<{ text: () => string; close: () => void }> {
  let text = "";
  const request = http.get({ socketPath: mooring.spec.socketPath, path: "/v1/events", agent: false }, (response) => {
    response.setEncoding("utf8").on("data", (part: string) => (text += part));
    response.on("error", () => undefined);
  });
  request.on("error", () => undefined);
  await until(
    () => text.includes("listening"),
    () => "the events are listened to",
  );
  return { text: () => text, close: () => request.destroy() };
}

describe("a turn", () => {
  it("P9: sees one catalog from its start to its end: a thousand reads while bundles fly", async () => {
    const mooring = await moor(patient);
    const { body } = await mooring.call("POST", "/v1/turns");
    const [id, directory] = [String(body["id"]), String(body["catalog"])];
    const paths = Object.keys(filesOf(""));
    const seen = new Set<string>();
    const live = new Set<string>();
    for (let count = 0; count < 1_000; count += 1) {
      const path = paths[count % paths.length] ?? "";
      if (count % 25 === 0) await assign(mooring, `content ${count}`);
      // Others that begin meanwhile get what is new.
      if (count % 25 === 1) live.add(await takeTurn(mooring));
      if (count % 5 === 0) seen.add(await read(mooring, `/v1/turns/${id}/catalog/${path}`));
      else seen.add(fs.readFileSync(join(directory, path), "utf8"));
    }
    expect([...seen]).toEqual(["one"]);
    expect(live.size).toBe(40);
    expect(await read(mooring, "/v1/catalog/a.md")).toBe("content 975");
  });

  it("gets its catalog and its hash, and what is live is told apart", async () => {
    const mooring = await moor(patient);
    const { body } = await mooring.call("POST", "/v1/turns");
    expect(body).toMatchObject({ catalog: fs.realpathSync(quay.link), catalogHash: delivery.current()?.hash });
    expect(body["catalog"]).not.toBe(quay.link);
  });

  it("that ends well proves a trial, one that failed does not", async () => {
    const mooring = await moor(patient);
    const { body } = await mooring.call("POST", "/v1/turns");
    await mooring.call("DELETE", `/v1/turns/${String(body["id"])}`, { outcome: "failed" });
    await until(
      () =>
        readDelivery(quay.folder)?.use.kind === "trial" &&
        JSON.stringify(readDelivery(quay.folder)).includes('"baked":true'),
      () => "it has lived for the bake time",
    );
    expect(state()).toBe("trial");
    await takeTurn(mooring);
    await confirmed();
    expect(readAnswer(quay.folder)?.verdict).toBe("ack");
  });
});

describe("an agent that listens", () => {
  it("hears what waits, may put it off, and hears of the switch", async () => {
    const mooring = await moor(patient);
    const events = await listen(mooring);
    await assign(mooring, "two");
    await until(() => events.text().includes("event: staged"), events.text);
    const bundle = JSON.parse(/event: staged\ndata: (.*)/.exec(events.text())?.[1] ?? "{}") as Record<string, string>;
    expect(contentOf(bundle["directory"] ?? "")).toBe("two");
    const notNow = { digest: bundle["digest"], answer: "notNow" };
    expect((await mooring.call("PUT", "/v1/catalog/answer", notNow)).status).toBe(200);
    expect((await mooring.call("PUT", "/v1/catalog/answer", notNow)).status).toBe(409);
    expect(await takeTurn(mooring)).toBe("one");
    await until(() => events.text().split("event: staged").length === 3, events.text);
    expect(await takeTurn(mooring)).toBe("two");
    await until(() => events.text().includes("event: switched"), events.text);
    const later = await listen(mooring);
    expect(later.text()).not.toContain("staged");
    for (const each of [events, later]) each.close();
  });

  it("and cannot use what went live is ended gracefully and brought back", async () => {
    const mooring = await moor(patient);
    await takeTurn(mooring);
    await confirmed();
    await assign(mooring, "two");
    expect(await takeTurn(mooring)).toBe("two");
    const { digest = "" } = quay.store.assigned({ fleet: "writers", catalog: "main" }) ?? {};
    await mooring.call("PUT", "/v1/catalog/answer", { digest, answer: "failed", detail: "no such tool" });
    const end = await mooring.supervision.done;
    expect(end).toMatchObject({ kind: "again", why: expect.stringContaining("no such tool") });
    expect(mooring.record.ending).toBe(null);
    const next = await again(patient);
    expect(await takeTurn(next)).toBe("one");
    await delivery.settled();
    expect(quay.raised).toMatchObject([{ about: "bundleReverted", evidence: { reason: "reload" } }]);
  });
});

describe("a process that its bundle breaks", () => {
  it("P9: comes back once on the last good one, within its instance, and its ending is not on record", async () => {
    const mooring = await moor(touchy);
    await takeTurn(mooring);
    await confirmed();
    await assign(mooring, "bad");
    // It crashes while this turn is in flight.
    const { body } = await mooring.call("POST", "/v1/turns");
    expect(contentOf(String(body["catalog"]))).toBe("bad");
    expect(await mooring.supervision.done).toMatchObject({ kind: "again" });
    expect(mooring.record.written).not.toContain("ended");
    const { socketPath } = mooring.spec;
    const next = await again(touchy, { spec: { socketPath } });
    expect(next.output()).toContain("up one");
    expect(await takeTurn(next)).toBe("one");
    await confirmed();
  });

  it("ends as what it did where nothing was ever confirmed: a first start has more to blame than a bundle", async () => {
    quay.publish("bad");
    delivery = quay.open({}, { clock, wallTime: Date.now });
    delivery.prepareStart({ ...run, bakeMs: 60_000 });
    const mooring = harbour.moor(touchy, { catalogDir: quay.link }, { catalog: delivery, clock });
    expect(await mooring.ended()).toMatchObject({ reason: "exited", exitCode: 7 });
    await delivery.settled();
    expect(quay.raised).toMatchObject([
      { about: "agentEnded", reason: expect.stringContaining("before any bundle of its catalog was confirmed") },
    ]);
  });

  it("ends as a failed trial where the last good one fails as well", async () => {
    const mooring = await moor(touchy);
    await takeTurn(mooring);
    await confirmed();
    await assign(mooring, "bad");
    await mooring.call("POST", "/v1/turns");
    expect(await mooring.supervision.done).toMatchObject({ kind: "again" });
    const next = harbour.moor("exit 7", { catalogDir: quay.link }, { catalog: delivery, clock });
    expect(await next.ended()).toMatchObject({ reason: "trialFailed", exitCode: 7 });
  });

  it("ends where somebody asked for that meanwhile, however it ended", async () => {
    const mooring = await moor("echo up; trap 'exit 9' TERM; while :; do sleep 0.02; done");
    await takeTurn(mooring);
    await confirmed();
    await assign(mooring, "two");
    await takeTurn(mooring);
    mooring.record.seen = { kind: "ours", stop: { graceMs: null } };
    expect(await mooring.ended()).toMatchObject({ reason: "stopped", exitCode: 9 });
    expect(readDelivery(quay.folder)?.use).toMatchObject({ kind: "trial", bundle: { sequence: 2 } });
  });

  it("ends where that was asked for after it had crashed, before anybody started it again", async () => {
    const mooring = await moor(touchy);
    await takeTurn(mooring);
    await confirmed();
    await assign(mooring, "bad");
    const { socketPath } = mooring.spec;
    // Marked when everything of it is gone: its socket is the last.
    const seen = (): Look => ({ kind: "ours", stop: fs.existsSync(socketPath) ? null : { graceMs: null } });
    Object.defineProperty(mooring.record, "seen", { get: seen });
    await mooring.call("POST", "/v1/turns");
    expect(await mooring.ended()).toMatchObject({ reason: "exited", exitCode: 7 });
    expect(readDelivery(quay.folder)?.use).toMatchObject({ kind: "trial", bundle: { sequence: 2 } });
  });

  it("by its bad health is ended by the graceful path, which a stop makes one for good", async () => {
    const mooring = await moor(patient, { spec: { health: { kind: "socket" } } });
    await takeTurn(mooring);
    await confirmed();
    await assign(mooring, "two");
    await takeTurn(mooring);
    // A turn in flight keeps the drain open.
    const { body } = await mooring.call("POST", "/v1/turns");
    await mooring.call("PUT", "/v1/health", { ok: false, detail: "no answer" });
    expect((await mooring.call("POST", "/v1/turns")).body["code"]).toBe("draining");
    mooring.supervision.stop(null);
    await mooring.call("DELETE", `/v1/turns/${String(body["id"])}`);
    expect(await mooring.ended()).toMatchObject({ reason: "stopped" });
    expect(readDelivery(quay.folder)?.use).toMatchObject({ kind: "returning" });
  });
});

it("an agent of files hears of the switch by its signal, which its children do not", async () => {
  const script =
    "trap 'echo \"heard $(cat \"$MOORAGE_CATALOG/a.md\")\"' HUP; (trap 'echo child heard' HUP; while :; do sleep 0.02; done) & echo up; while :; do sleep 0.02; done";
  const mooring = await moor(script, { signal: "SIGHUP", spec: { drainMs: 0, graceMs: 100 } });
  await assign(mooring, "two");
  await mooring.says("heard two");
  await confirmed();
  expect(mooring.output()).not.toContain("child heard");
});
