import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Notice } from "@moorage/core";
import { readNotice } from "@moorage/core";
import { expect, it } from "vitest";
import type { Publisher } from "./delivered.fixture.ts";
import { channelAgent, publisherFor } from "./delivered.fixture.ts";
import type { DeliveryFacts } from "./delivery-facts.ts";
import type { Place, TestAgent } from "./scope.fixture.ts";
import {
  endNow,
  lives,
  pidsOf,
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
let publisher: Publisher;

scopeForEach((made, opened) => {
  place = made;
  scope = opened;
  publisher = publisherFor(made, opened);
});

const longTrial = { catalog: { path: "/nowhere", signal: null, trial: { turns: 1, bakeMs: 600_000 } } } as const;

/** Takes turns back to back, says in each what its prompt is, and does not survive one that says crash. */
const turns = `
  const { request } = require("node:http");
  const { appendFileSync } = require("node:fs");
  const ask = (method, path) => new Promise((resolve, reject) => {
    const asked = request({ socketPath: process.env.MOORAGE_SOCKET, method, path }, (answer) => {
      let text = "";
      answer.on("data", (bytes) => { text += bytes; });
      answer.on("end", () => resolve({ status: answer.statusCode, text }));
    });
    asked.on("error", reject);
    asked.end();
  });
  (async () => {
    for (;;) {
      const begun = await ask("POST", "/v1/turns");
      if (begun.status !== 201) break;
      const { id } = JSON.parse(begun.text);
      const prompt = (await ask("GET", "/v1/turns/" + id + "/catalog/system.md")).text.trim();
      appendFileSync(process.env.MOORAGE_WORKSPACE + "/seen", process.pid + " " + prompt + "\\n");
      if (prompt.startsWith("crash")) { console.error("no idea what to do with " + prompt + ", " + process.env.API_KEY); process.exit(3); }
      await ask("DELETE", "/v1/turns/" + id);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    setInterval(() => {}, 1e6);
  })();`;

function turner(template: Parameters<typeof channelAgent>[3] = {}): TestAgent {
  return channelAgent(publisher, "scribe", [process.execPath, "-e", turns], template);
}

function prompt(text: string): { readonly "system.md": string } {
  return { "system.md": `${text}\n` };
}

async function deliveryOf(agent: TestAgent): Promise<DeliveryFacts | null> {
  return (await scope.facts([agent.instance]))[0]?.delivery ?? null;
}

/** What it has used, in order: the process and the prompt, each once in a row. */
function seen(agent: TestAgent): string[] {
  try {
    const lines = readFileSync(join(place.stateDir, "instances", agent.instance, "workspace", "seen"), "utf8");
    return lines.split("\n").filter((line, at, all) => line !== "" && line !== all[at - 1]);
  } catch {
    return [];
  }
}

async function untilDelivery(agent: TestAgent, holds: (facts: DeliveryFacts) => boolean): Promise<DeliveryFacts> {
  let last: DeliveryFacts | null = null;
  await until(
    () => `its delivery is so, and not ${JSON.stringify(last)}; ${JSON.stringify(scope.journal.read({ last: 8 }))}`,
    async () => {
      last = await deliveryOf(agent);
      return last !== null && holds(last);
    },
  );
  if (last === null) throw new Error("there is no delivery");
  return last;
}

async function untilUsed(agent: TestAgent, text: string): Promise<void> {
  await until(
    () => `it uses "${text}", not ${JSON.stringify(seen(agent))}`,
    () => seen(agent).at(-1)?.endsWith(` ${text}`) === true,
  );
}

async function notices(): Promise<Notice[]> {
  return (await scope.documents.list("notice")).map(({ text }) => readNotice(text));
}

/** An agent with a proven bundle that tries out a second one for longer than any test lasts. */
async function onTrial(): Promise<{ readonly agent: TestAgent; readonly digest: string }> {
  await publisher.assign(prompt("be brief"));
  const first = turner();
  await startTestAgent(scope, first);
  await untilDelivery(first, ({ state, takesPart }) => state === "confirmed" && takesPart === "socket");
  expect(await remove(scope, first)).toBe("accepted");
  await untilAbsent(scope.substrate, first);
  const agent = turner(longTrial);
  await startTestAgent(scope, agent);
  const { digest } = await publisher.assign(prompt("be long"));
  await untilDelivery(agent, ({ state, inUse }) => state === "trial" && inUse?.sequence === 2);
  await untilUsed(agent, "be long");
  return { agent, digest };
}

it("a new bundle is used at the next turn, by the same process, and confirmed", async () => {
  await publisher.assign(prompt("be brief"));
  const agent = turner();
  await startTestAgent(scope, agent);
  const pids = await pidsOf(scope, agent);
  await untilDelivery(agent, ({ state, takesPart }) => state === "confirmed" && takesPart === "socket");
  const second = await publisher.assign(prompt("be long"));
  await untilUsed(agent, "be long");
  const facts = await untilDelivery(agent, ({ state, inUse }) => state === "confirmed" && inUse?.sequence === 2);
  expect(facts).toMatchObject({
    inUse: { sequence: 2, digest: second.digest, catalogHash: second.catalogHash },
    unproven: false,
    next: null,
    heldBack: [],
  });
  expect(seen(agent)).toEqual([`${pids.agent} be brief`, `${pids.agent} be long`]);
  expect(await pidsOf(scope, agent)).toEqual(pids);
  const told = scope.journal.read({ agent: "scribe" }).filter(({ step }) => step === "update");
  const states = (sequence: number): string[] =>
    told.filter(({ message }) => message.startsWith(`bundle ${sequence} `)).map(({ code }) => code);
  expect(states(1)).toEqual(expect.arrayContaining(["trial", "confirmed"]));
  expect(states(2)).toEqual(expect.arrayContaining(["staged", "trial", "confirmed"]));
  expect(await notices()).toEqual([]);
});

it("a bundle that crashes its agent is taken back within the same instance, and a person is told why", async () => {
  await publisher.assign(prompt("be brief"));
  const agent = turner();
  const { fence } = await startTestAgent(scope, agent);
  const before = await pidsOf(scope, agent);
  await untilDelivery(agent, ({ state, takesPart }) => state === "confirmed" && takesPart === "socket");
  const bad = await publisher.assign(prompt("crash and burn"));
  await until(
    () => `it is back, not ${JSON.stringify(seen(agent))}`,
    () => seen(agent).length === 3 && seen(agent)[2]?.endsWith("be brief") === true,
  );
  const after = await pidsOf(scope, agent);
  expect(after.supervisor).toBe(before.supervisor);
  expect(after.agent).not.toBe(before.agent);
  expect(lives(before.agent)).toBe(false);
  expect(seen(agent)).toEqual([
    `${before.agent} be brief`,
    `${before.agent} crash and burn`,
    `${after.agent} be brief`,
  ]);
  const observed = await untilState(scope.substrate, agent, "running");
  expect(observed.fence.uid).toBe(fence.uid);
  const facts = await untilDelivery(agent, ({ state }) => state === "confirmed");
  expect(facts).toMatchObject({
    inUse: { sequence: 1 },
    heldBack: [{ digest: bad.digest, reason: "crash", until: expect.any(String) }],
  });
  let mail: Notice[] = [];
  await until(
    () => "the mailbox has it",
    async () => (mail = await notices()).length > 0,
  );
  expect(mail).toMatchObject([
    {
      about: "bundleReverted",
      subject: { kind: "agent", name: "scribe" },
      evidence: { bundle: bad.digest, reason: "crash", log: expect.stringContaining("no idea what to do with crash") },
      state: { kind: "open" },
    },
  ]);
  expect(JSON.stringify(mail)).not.toContain("planted-value");
  // Its next good bundle is used as if nothing had been.
  await publisher.assign(prompt("be kind"));
  await untilUsed(agent, "be kind");
  await untilDelivery(agent, ({ inUse, state }) => inUse?.sequence === 3 && state === "confirmed");
  // And nobody is asked about the bad one any more.
  await until(
    () => "its notice is over",
    async () => (await notices()).every(({ state }) => state.kind === "superseded"),
  );
});

it("a trial outlives its killed supervisor, and the next start goes on with it", async () => {
  const { agent: second, digest } = await onTrial();
  endNow((await pidsOf(scope, second)).supervisor);
  await untilState(scope.substrate, second, "terminated");
  expect(await deliveryOf(second)).toMatchObject({ state: "trial", inUse: { digest: digest } });
  expect(await remove(scope, second)).toBe("accepted");
  await untilAbsent(scope.substrate, second);
  const third = turner();
  await startTestAgent(scope, third);
  const { agent: pid } = await pidsOf(scope, third);
  const used = (): string[] => seen(third).filter((line) => line.startsWith(`${pid} `));
  await until(
    () => "it takes turns",
    () => used().length > 0,
  );
  expect(used()).toEqual([`${pid} be long`]);
  expect(await untilDelivery(third, ({ state }) => state === "confirmed")).toMatchObject({
    inUse: { digest: digest },
    heldBack: [],
  });
  expect(await notices()).toEqual([]);
});

it("a stop on trial proves nothing, and takes nothing back", async () => {
  const { agent: second, digest } = await onTrial();
  expect(await remove(scope, second)).toBe("accepted");
  await untilAbsent(scope.substrate, second);
  const life = await scope.delivery(second.instance);
  expect(life).toMatchObject({
    use: { kind: "trial", bundle: { digest: digest }, lastGood: { bundle: { sequence: 1 } } },
    quarantine: [],
  });
  expect(await notices()).toEqual([]);
});

it("a stop that came before its crash was seen wins: nothing comes back, and nothing is taken back", async () => {
  const { agent, digest } = await onTrial();
  const pids = await pidsOf(scope, agent);
  process.kill(pids.supervisor, "SIGSTOP");
  await until(
    () => "its supervisor is stopped",
    async () => (await scope.facts([agent.instance]))[0]?.supervisor.state === "stopped",
  );
  endNow(pids.agent);
  expect(await remove(scope, agent)).toBe("accepted");
  const before = seen(agent);
  process.kill(pids.supervisor, "SIGCONT");
  await untilAbsent(scope.substrate, agent);
  await until(
    () => "its supervisor is gone",
    () => !lives(pids.supervisor),
  );
  expect(seen(agent)).toEqual(before);
  expect(await scope.delivery(agent.instance)).toMatchObject({
    use: { kind: "trial", bundle: { digest } },
    quarantine: [],
  });
  expect(await notices()).toEqual([]);
});

it("one agent alone tries a bundle that the fleet does not have, and tries again what failed at a person's word", async () => {
  await publisher.assign(prompt("be brief"));
  const flag = join(place.directory, "flag");
  const agent = channelAgent(publisher, "scribe", [
    process.execPath,
    "-e",
    turns.replace(
      'prompt.startsWith("crash")',
      `prompt.startsWith("crash") && !require("node:fs").existsSync(${JSON.stringify(flag)})`,
    ),
  ]);
  await startTestAgent(scope, agent);
  await untilDelivery(agent, ({ state, takesPart }) => state === "confirmed" && takesPart === "socket");
  const own = publisher.publish(prompt("crash at first"));
  await scope.offer(agent.instance, own);
  await untilDelivery(agent, ({ heldBack, state }) => heldBack.length === 1 && state === "confirmed");
  writeFileSync(flag, "");
  await scope.retry(agent.instance, own.digest);
  await untilUsed(agent, "crash at first");
  expect(
    await untilDelivery(agent, ({ state, inUse }) => state === "confirmed" && inUse?.sequence === 2),
  ).toMatchObject({ heldBack: [], inUse: { digest: own.digest } });
});

it("what can run on no bundle is not started, with the reason on record and in the mailbox, until it can", async () => {
  await publisher.assign(prompt("be brief"));
  const other = { wireVersion: 1, eventLogSchema: 2, crdApiVersion: "moorage.dev/v1alpha1" };
  const agent = turner({ fingerprint: other });
  await scope.substrate.createSecret(agent.secret);
  await scope.substrate.createInstance(agent.spec);
  const observed = await untilState(scope.substrate, agent, "terminated");
  expect(observed.evidence.container).toMatchObject({
    ending: { reason: "notStarted", detail: expect.stringContaining("event-log schema") },
  });
  expect(seen(agent)).toEqual([]);
  const told = (await notices()).find(({ about }) => about === "cannotStart");
  expect(told).toMatchObject({ subject: { name: "scribe" }, state: { kind: "open" } });
  expect(await remove(scope, agent)).toBe("accepted");
  await untilAbsent(scope.substrate, agent);
  await startTestAgent(scope, turner());
  const after = (await notices()).find(({ id }) => id === told?.id);
  expect(after?.state.kind).toBe("superseded");
});

it("an agent of a version that knew no channels has its own copy, and no delivery", async () => {
  const folder = join(place.directory, "own");
  mkdirSync(folder);
  writeFileSync(join(folder, "system.md"), "be brief\n");
  await publisher.assign(prompt("not this one"));
  const agent = testAgent("scribe", [process.execPath, "-e", turns], { catalog: { path: folder, signal: null } });
  await startTestAgent(scope, agent);
  await untilUsed(agent, "be brief");
  expect(await deliveryOf(agent)).toBeNull();
  expect(await scope.delivery(agent.instance)).toBeNull();
});

it("a purge takes what it lived through with it, and nothing before that does", async () => {
  await publisher.assign(prompt("be brief"));
  const agent = turner();
  await startTestAgent(scope, agent);
  await untilDelivery(agent, ({ state }) => state === "confirmed");
  expect(await remove(scope, agent)).toBe("accepted");
  await untilAbsent(scope.substrate, agent);
  expect(await scope.delivery(agent.instance)).not.toBeNull();
  expect(await scope.purge(agent.instance)).toBe("purged");
  expect(await scope.delivery(agent.instance)).toBeNull();
});
