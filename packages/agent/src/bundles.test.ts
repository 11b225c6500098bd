import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Agent, ConnectOptions, StagedBundle } from "./connect.ts";
import { connect } from "./connect.ts";
import { FakeHarness, until } from "./fake-harness.fixture.ts";

let harness: FakeHarness;
const agents: Agent[] = [];

beforeEach(async () => {
  harness = new FakeHarness();
  for (const name of ["old", "new"]) {
    mkdirSync(join(harness.directory, name));
    writeFileSync(join(harness.directory, name, "system.md"), `be ${name}`);
  }
  harness.catalog = join(harness.directory, "old");
  await harness.start();
});

afterEach(async () => {
  for (const agent of agents.splice(0)) agent.close();
  await harness.clear();
});

async function joined(options: ConnectOptions = {}): Promise<Agent> {
  const agent = await connect({ socket: harness.socket, catalog: join(harness.directory, "old"), ...options });
  agents.push(agent);
  return agent;
}

const bundle = (): object => ({
  digest: "sha256:2",
  sequence: 2,
  catalogHash: "v1:sha256:2",
  directory: join(harness.directory, "new"),
});
const answers = (): string[] => harness.asked.filter((line) => line.startsWith("PUT /v1/catalog/answer"));

describe("a bundle that is staged", () => {
  it("is shown with its files before it goes live, and goes live where nothing is said", async () => {
    const seen: [number, string, string][] = [];
    const onStaged = ({ sequence, hash, catalog }: StagedBundle): void => {
      seen.push([sequence, hash, catalog.text("system.md")]);
    };
    const agent = await joined({ onStaged });
    harness.bundle("staged", bundle());
    await until(() => seen.length === 1);
    expect(seen).toEqual([[2, "v1:sha256:2", "be new"]]);
    expect(agent.catalog.text("system.md")).toBe("be old");
    expect(answers()).toEqual([]);
  });

  it("is put off by a word, which is said before the next turn begins", async () => {
    let asked = false;
    const word = Promise.withResolvers<string>();
    const agent = await joined({
      onStaged: () => {
        asked = true;
        return word.promise;
      },
    });
    harness.bundle("staged", bundle());
    await until(() => asked);
    const turn = agent.turn(() => undefined);
    // A turn that waited for nothing would be there before this is answered.
    await agent.health(true);
    word.resolve("notNow");
    await turn;
    expect(harness.asked.slice(0, 3)).toEqual([
      'PUT /v1/health {"ok":true}',
      'PUT /v1/catalog/answer {"digest":"sha256:2","answer":"notNow"}',
      "POST /v1/turns",
    ]);
  });

  it("goes live where the agent fails to say anything", async () => {
    let asked = false;
    const agent = await joined({
      onStaged: () => {
        asked = true;
        throw new Error("no idea");
      },
    });
    harness.bundle("staged", bundle());
    await until(() => asked);
    await agent.turn(() => undefined);
    expect(answers()).toEqual([]);
  });
});

describe("a bundle that went live", () => {
  it("is what `agent.catalog` reads from then on", async () => {
    const agent = await joined();
    expect(agent.catalog.text("system.md")).toBe("be old");
    harness.bundle("switched", bundle());
    await until(() => agent.catalog.text("system.md") === "be new");
  });

  it("is handed to who reads outside of turns", async () => {
    const read: string[] = [];
    await joined({ onCatalog: (catalog) => void read.push(catalog.text("system.md")) });
    harness.bundle("switched", bundle());
    await until(() => read.length === 1);
    expect(read).toEqual(["be new"]);
  });

  it("has failed where the agent cannot use it, with the reason", async () => {
    await joined({ onCatalog: () => Promise.reject(new Error("no such tool: search")) });
    harness.bundle("switched", bundle());
    await until(() => answers().length === 1);
    expect(answers()).toEqual([
      'PUT /v1/catalog/answer {"digest":"sha256:2","answer":"failed","detail":"no such tool: search"}',
    ]);
  });

  it("that makes no sense is passed over", async () => {
    const agent = await joined({ onCatalog: () => Promise.reject(new Error("never")) });
    for (const data of [{}, { ...bundle(), directory: 7 }, { ...bundle(), sequence: "2" }])
      harness.bundle("switched", data);
    harness.drain(1_000);
    await until(() => agent.draining.aborted);
    expect(answers()).toEqual([]);
    expect(agent.catalog.text("system.md")).toBe("be old");
  });
});

it("an answer that nobody waits for any more changes nothing", async () => {
  harness.answers["PUT /v1/catalog/answer"] = { status: 409, body: { code: "notAwaited", message: "-", hint: "-" } };
  const agent = await joined({ onStaged: () => "notNow" });
  harness.bundle("staged", bundle());
  await until(() => answers().length === 1);
  expect(await agent.turn(() => 7)).toBe(7);
});
