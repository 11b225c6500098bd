// What a process holds that watches a thousand agents which change, minute after minute: its heap after collection, and whether that stays.
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { instanceName, moorageProfile, nameIdentity } from "@moorage/core";
import { sha256 } from "@moorage/keys";
import type { Reading } from "../measure.ts";
import { spread } from "../measure.ts";
import type { Place } from "../place.ts";
import { fleetNames } from "../place.ts";
import { fakeSleeper, mustRun, openAgents } from "./agents.ts";
import type { Ground } from "./ground.ts";
import { many, plantMany } from "./many.ts";

const sampleMs = 5_000;
/** A change of some agent so often, and so often one that ends and is started again. */
const changeMs = 200;
const restartMs = 2_000;

export async function clusterWatch1000(ground: Ground, place: Place): Promise<Reading[]> {
  const namespace = await ground.namespace();
  const agents = openAgents(ground, namespace, place.signal);
  const over = new AbortController();
  const signal = AbortSignal.any([place.signal, over.signal]);
  try {
    await plantMany(ground, agents);
    const watcher = watchStatus(ground, place, namespace);
    const changes = Promise.all([change(ground, namespace, signal), restart(ground, namespace, signal)]);
    try {
      await Promise.race([sleep(place.watchMinutes * 60_000, undefined, { signal }), watcher.ended, changes]);
    } finally {
      over.abort();
      watcher.end();
      await changes.catch(() => undefined);
    }
    return readings(watcher.heaps(), place.watchMinutes);
  } finally {
    agents.close();
    if (!place.signal.aborted) await ground.remove(namespace);
  }
}

function readings(heaps: readonly number[], minutes: number): Reading[] {
  if (heaps.length < 8) throw new Error(`only ${heaps.length} samples of the heap: watch for longer`);
  // The first quarter is for what is compiled and cached once.
  const quarter = Math.floor(heaps.length / 4);
  const [early, late] = [spread(heaps.slice(quarter, 2 * quarter)), spread(heaps.slice(-quarter))];
  return [
    {
      what: `${minutes} min of watching ${many} agents that change: heap at the end`,
      ours: { unit: "MiB", value: late },
      against: "after a quarter of the time",
      baseline: { unit: "MiB", value: early },
      compared: { unit: "×", value: spread(heaps.slice(-quarter).map((heap) => heap / early.median)) },
      limit: { kind: "atMost", value: 1.1 },
    },
  ];
}

/** `moorage status --watch`, which tells what its heap is after each collection. */
function watchStatus(ground: Ground, place: Place, namespace: string) {
  const folder = place.folder();
  const [teller, told] = [join(folder, "tell.cjs"), join(folder, "told")];
  writeFileSync(told, "");
  writeFileSync(
    teller,
    `setInterval(() => {
  gc();
  require("node:fs").appendFileSync(${JSON.stringify(told)}, process.memoryUsage().heapUsed + "\\n");
}, ${sampleMs}).unref();
`,
  );
  const [node, ...program] = place.moorage;
  const args = ["--expose-gc", "--require", teller, ...program, "status", "--watch"];
  const child = spawn(node, [...args, "--on", "kubernetes", "--namespace", namespace, "--json"], {
    env: { ...place.env, KUBECONFIG: ground.kubeconfig },
    stdio: ["ignore", "ignore", "inherit"],
  });
  return {
    /** Rejects when it ends by itself. */
    ended: new Promise<never>((_, reject) => {
      child.once("error", reject);
      child.once("exit", (code, killed) => reject(new Error(`the watch ended with ${code ?? killed}`)));
    }),
    /** In MiB. */
    heaps: (): number[] =>
      readFileSync(told, "utf8")
        .split("\n")
        .filter(Boolean)
        .map((line) => Number(line) / 2 ** 20),
    end: () => void child.kill("SIGKILL"),
  };
}

/** A note at one pod after the other. */
async function change(ground: Ground, namespace: string, signal: AbortSignal): Promise<void> {
  const names = fleetNames(many).map((agent) => instanceName(moorageProfile, nameIdentity(agent, sha256)));
  for (let count = 0; !signal.aborted; count += 1) {
    const path = `/api/v1/namespaces/${namespace}/pods/${names[(count * 7) % names.length]}`;
    const body = { metadata: { annotations: { "bench/change": String(count) } } };
    // One that is being started again is not there.
    await ground.ask("PATCH", path, body).catch(() => undefined);
    await pause(changeMs, signal);
  }
}

async function restart(ground: Ground, namespace: string, signal: AbortSignal): Promise<void> {
  const agents = openAgents(ground, namespace, signal);
  const names = fleetNames(many);
  const template = fakeSleeper(ground);
  try {
    for (let count = 0; !signal.aborted; count += 1) {
      const agent = names[(count * 13) % names.length] ?? "";
      await agents.stop(agent);
      // kwok deletes by name, twice: the second may come late and meet the next pod, which is then told as `worldMoved`.
      let outcome = await agents.start(agent, template);
      while (outcome.outcome === "worldMoved") outcome = await agents.start(agent, template);
      if (!signal.aborted) mustRun(outcome);
      await pause(restartMs, signal);
    }
  } finally {
    agents.close();
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return sleep(ms, undefined, { signal }).catch(() => undefined);
}
