import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readFacts } from "./facts.ts";
import { Harbour, until } from "./supervise.fixture.ts";

const sdk = pathToFileURL(join(import.meta.dirname, "../../agent/src/index.ts")).href;
const harbour = new Harbour();
let catalogDir: string;

beforeEach(() => {
  catalogDir = mkdtempSync(join(tmpdir(), "catalog-"));
  writeFileSync(join(catalogDir, "system.md"), "be kind");
});
afterEach(async () => {
  await harbour.clear();
  rmSync(catalogDir, { recursive: true });
});

const agent = `
import { connect } from ${JSON.stringify(sdk)};
const agent = await connect();
async function* jobs() { for (let job = 1; ; job += 1) { yield job; await new Promise((resolve) => setTimeout(resolve, 20)); } }
for await (const job of agent.untilDrain(jobs())) {
  await agent.turn(async ({ id, catalog }) => {
    console.log("begin " + id + " " + catalog.text("system.md"));
    await new Promise((resolve) => setTimeout(resolve, 200));
    console.log("end " + id);
  });
  await agent.health(true);
}
`;

it("an agent with the SDK finishes its turn in a stop", async () => {
  const mooring = harbour.moor([process.execPath, "--input-type=module", "-e", agent], {
    catalogDir,
    health: { kind: "socket" },
    drainMs: 30_000,
    graceMs: 60_000,
  });
  await mooring.says("begin t2 be kind");
  expect(readFacts(mooring.spec.factsPath)).toMatchObject({
    connected: true,
    health: { kind: "healthy" },
    inFlight: 1,
  });
  mooring.supervision.stop(null);
  expect(await mooring.ended()).toMatchObject({ reason: "stopped", detail: null });
  const lines = mooring.output().trim().split("\n");
  const begun = lines.filter((line) => line.startsWith("begin")).length;
  expect(lines.filter((line) => line.startsWith("end"))).toHaveLength(begun);
  expect(readFacts(mooring.spec.factsPath)).toMatchObject({
    inFlight: 0,
    counts: { begun, succeeded: begun, failed: 0 },
  });
});

it("an agent with the SDK goes on when its socket was cleaned away", async () => {
  const mooring = harbour.moor([process.execPath, "--input-type=module", "-e", agent], { catalogDir });
  await mooring.says("begin t1 ");
  rmSync(mooring.spec.socketPath);
  await until(
    () => statSync(mooring.spec.socketPath, { throwIfNoEntry: false }) !== undefined,
    () => "it is back",
  );
  const before = readFacts(mooring.spec.factsPath)?.counts.begun ?? 0;
  await mooring.says(`end t${before + 2}`);
  mooring.supervision.stop(null);
  await mooring.says("end");
  expect(await mooring.ended()).toMatchObject({ reason: "stopped", detail: null });
});
