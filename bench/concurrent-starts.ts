// `concurrent-starts.ts COUNT STATE_DIR SUPERVISOR…`: starts one agent that many times at once in this process and prints the milliseconds.
import type { ProcessTemplate } from "@moorage/core";
import { moorageProfile, nameIdentity, startAgent } from "@moorage/core";
import { sha256, systemRandom } from "@moorage/keys";
import { awakeClock, launchEnvironment, openScope } from "@moorage/local";

const [count, stateDir, node, ...supervisor] = process.argv.slice(2);
if (count === undefined || stateDir === undefined || node === undefined)
  throw new Error("usage: concurrent-starts.ts COUNT STATE_DIR SUPERVISOR…");

const template: ProcessTemplate = {
  kind: "process",
  command: ["sleep", "100000"],
  directory: "/",
  buildId: `sha256:${"0".repeat(64)}`,
  drainMs: 30_000,
  graceMs: 60_000,
  idleMs: null,
  health: { kind: "none" },
  catalog: null,
  identityKey: null,
  env: {},
  secretKeys: [],
};
const clock = awakeClock();
const scope = await openScope({
  stateDir,
  mode: "write",
  launchEnv: launchEnvironment(process.env),
  clock,
  random: systemRandom,
  supervisor: [node, ...supervisor],
  registryDir: null,
});
const request = {
  agent: "scribe",
  profile: moorageProfile,
  identity: nameIdentity("scribe", sha256),
  template,
  notes: { name: "scribe" },
  secrets: new Map<string, string>(),
  deadlineMs: 60_000,
  settleMs: 0,
};
const { signal } = new AbortController();
const ports = {
  substrate: scope.substrate,
  clock,
  random: systemRandom,
  digest: sha256,
  journal: scope.journal,
  signal,
};
const began = performance.now();
const outcomes = await Promise.all(Array.from({ length: Number(count) }, () => startAgent(request, ports)));
const ms = performance.now() - began;
const failed = outcomes.find(({ outcome }) => outcome !== "started" && outcome !== "alreadyRunning");
if (failed !== undefined) throw new Error(`a start ended as ${failed.outcome}: ${JSON.stringify(failed)}`);
if (outcomes.filter(({ outcome }) => outcome === "started").length !== 1)
  throw new Error("not exactly one was started");
await scope.settled();
scope.close();
console.log(ms);
