// `npm run bench -- [NAME… | cluster] [--json FILE] [--record] [--minutes N]`: measures, prints the table, and ends with exit 1 where a limit is broken.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { classifyRate } from "./classify.ts";
import { classifyUpdateRate, evaluateBundleRate } from "./classify-update.ts";
import { clusterDeploy } from "./cluster/deploy.ts";
import type { Ground } from "./cluster/ground.ts";
import { openGround } from "./cluster/ground.ts";
import { clusterProvider } from "./cluster/provider.ts";
import { clusterReaction } from "./cluster/reaction.ts";
import { clusterRequests } from "./cluster/requests.ts";
import { clusterSideBySide } from "./cluster/side-by-side.ts";
import { clusterStarts200 } from "./cluster/starts-200.ts";
import { clusterStatus1000 } from "./cluster/status-1000.ts";
import { clusterWatch1000 } from "./cluster/watch-1000.ts";
import { decisionToRunning } from "./decision-to-running.ts";
import { deliveryToMany } from "./delivery/many-agents.ts";
import { deliveryToOne } from "./delivery/one-agent.ts";
import { catalogHashCost } from "./hash.ts";
import { intentDigestCost } from "./intent-digest.ts";
import { describeMachine, machineSlug, thisMachine } from "./machine.ts";
import type { Reading } from "./measure.ts";
import { holds } from "./measure.ts";
import { noopDeploy } from "./noop-deploy.ts";
import type { Place } from "./place.ts";
import { openPlace } from "./place.ts";
import { planFleet } from "./plan.ts";
import { providerInfo } from "./provider-info.ts";
import type { Results, Row } from "./report.ts";
import { asJson, asMarkdown, asTable } from "./report.ts";
import { start64 } from "./start-64.ts";
import { start200 } from "./start-200.ts";
import { status200 } from "./status-200.ts";
import { supervisorRest } from "./supervisor-rest.ts";
import { versionStart } from "./version-start.ts";

/** Each row by its name. */
const benches: Readonly<Record<string, (place: Place) => Promise<Reading[]>>> = {
  "version-start": versionStart,
  "provider-info": providerInfo,
  "noop-deploy": noopDeploy,
  "status-200": status200,
  "decision-to-running": decisionToRunning,
  "supervisor-rest": supervisorRest,
  "start-200": start200,
  "start-64": start64,
  classify: classifyRate,
  "classify-update": classifyUpdateRate,
  "evaluate-bundle": evaluateBundleRate,
  plan: planFleet,
  "intent-digest": intentDigestCost,
  hash: catalogHashCost,
  "delivery-one": deliveryToOne,
  "delivery-200": deliveryToMany,
};

/** What needs a cluster; the file is the one without the first word in `cluster/`. */
const onCluster: Readonly<Record<string, (ground: Ground, place: Place) => Promise<Reading[]>>> = {
  "cluster-reaction": clusterReaction,
  "cluster-requests": clusterRequests,
  "cluster-deploy": clusterDeploy,
  "cluster-provider": clusterProvider,
  "cluster-side-by-side": clusterSideBySide,
  "cluster-starts-200": clusterStarts200,
  "cluster-status-1000": clusterStatus1000,
  "cluster-watch-1000": clusterWatch1000,
};
const all = [...Object.keys(benches), ...Object.keys(onCluster)];

const { values, positionals } = parseArgs({
  options: {
    json: { type: "string" },
    record: { type: "boolean", default: false },
    minutes: { type: "string", default: "10" },
  },
  allowPositionals: true,
});
const chosen = positionals.flatMap((name) => (name === "cluster" ? Object.keys(onCluster) : [name]));
const unknown = chosen.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  console.error(`error: there is no ${unknown.join(", ")}\nhint: the names are cluster, ${all.join(", ")}`);
  process.exit(2);
}
const interrupt = new AbortController();
// A second Ctrl-C does not keep the first from cleaning up.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => interrupt.abort());

const machine = thisMachine();
console.log(`${describeMachine(machine)}\n`);
const place = await openPlace(interrupt.signal, Number(values.minutes));
const rows: Row[] = [];
const faults: string[] = [];
/** One cluster for all rows, brought up for the first of them. */
let ground = null as Promise<Ground> | null;
try {
  for (const name of chosen.length > 0 ? chosen : Object.keys(benches)) await measure(name);
} finally {
  await place.close();
  await ground?.then(({ close }) => close()).catch(() => undefined);
}
process.exitCode = interrupt.signal.aborted ? 130 : report();

/** One row that cannot be measured does not keep the others from it. */
async function measure(row: string): Promise<void> {
  if (interrupt.signal.aborted) return;
  const began = performance.now();
  try {
    rows.push({ row, readings: await readingsOf(row) });
    console.log(`${row}: measured in ${((performance.now() - began) / 1_000).toFixed(0)} s`);
  } catch (error) {
    if (interrupt.signal.aborted) return;
    faults.push(row);
    console.error(`${row}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function readingsOf(row: string): Promise<Reading[]> {
  const measured = onCluster[row];
  if (measured === undefined) return (await benches[row]?.(place)) ?? [];
  ground ??= openGround();
  return measured(await ground, place);
}

function report(): number {
  const results: Results = { date: new Date().toISOString().slice(0, 10), machine, rows };
  console.log(`\n${asTable(rows)}\n`);
  if (values.json !== undefined) writeFileSync(values.json, asJson(results));
  if (values.record) record(results);
  const readings = rows.flatMap((row) => row.readings);
  const kept = readings.filter(holds).length;
  console.log(`${kept} passed, ${readings.length - kept + faults.length} failed`);
  return kept === readings.length && faults.length === 0 ? 0 : 1;
}

function record(results: Results): void {
  const folder = fileURLToPath(new URL("results", import.meta.url));
  mkdirSync(folder, { recursive: true });
  const group = results.rows.some(({ row }) => Object.hasOwn(onCluster, row)) ? "-cluster" : "";
  const base = join(folder, `${results.date}-${machineSlug(machine)}${group}`);
  writeFileSync(`${base}.md`, asMarkdown(results));
  writeFileSync(`${base}.json`, asJson(results));
  console.log(`recorded in bench/results\n`);
}
