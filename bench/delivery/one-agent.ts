// From the call that publishes until the agent has used it in a turn and it is acknowledged, against one durable write of a blob; beside it, what a bare file watcher and polling take.
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, watch, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readAnswer } from "@moorage/harness/delivery";
import type { Reading } from "../measure.ts";
import { exactly, quantile, spread } from "../measure.ts";
import type { Place } from "../place.ts";
import type { Fleet } from "./fleet.ts";
import { openFleet } from "./fleet.ts";

const samples = 300;
const pollingMs = 5_000;
const patienceMs = 15_000;

/** Takes one turn after the other, and writes down when it first saw what in one. */
const agent = `
import http from "node:http";
import { appendFileSync, readFileSync, watch } from "node:fs";
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
const call = (method, path) =>
  new Promise((resolve, reject) => {
    const sent = http.request({ socketPath: process.env.MOORAGE_SOCKET, agent, method, path }, (response) => {
      let text = "";
      response.on("data", (part) => { text += part; });
      response.on("end", () => resolve(JSON.parse(text)));
    });
    sent.on("error", reject);
    sent.end();
  });
const note = (file, text) => appendFileSync(file, \`\${process.hrtime.bigint()} \${text.trim()}\\n\`);
let bare = "";
watch(process.env.BARE, () => {
  const text = readFileSync(process.env.BARE, "utf8");
  if (text !== bare && text !== "") note(process.env.SEEN_BARE, (bare = text));
});
let last = "";
for (;;) {
  const { id, catalog } = await call("POST", "/v1/turns");
  const text = readFileSync(catalog + "/prompts/system.md", "utf8");
  if (text !== last) note(process.env.SEEN, (last = text));
  await call("DELETE", "/v1/turns/" + id);
}
`;

interface Sample {
  readonly used: number;
  readonly acknowledged: number;
  readonly blob: number;
  readonly watched: number;
}

export async function deliveryToOne(place: Place): Promise<Reading[]> {
  const folder = place.folder();
  const [seen, bare, seenBare] = [join(folder, "seen"), join(folder, "bare"), join(folder, "seen-bare")];
  const script = join(folder, "agent.mjs");
  writeFileSync(script, agent);
  for (const file of [seen, bare, seenBare]) writeFileSync(file, "");
  const fleet = await openFleet(place, 1, ["node", script], { SEEN: seen, BARE: bare, SEEN_BARE: seenBare });
  try {
    await told(seen, "0");
    const all: Sample[] = [];
    for (let at = 1; at <= samples && !place.signal.aborted; at += 1)
      all.push(await sampleOf(fleet, at, seen, bare, seenBare));
    return readingsOf(all);
  } finally {
    await fleet.close();
  }
}

async function sampleOf(fleet: Fleet, at: number, seen: string, bare: string, seenBare: string): Promise<Sample> {
  const [delivery = ""] = fleet.deliveries;
  const blob = timed(() => writeBlob(join(dirname(bare), "blob")));
  const bareBegan = process.hrtime.bigint();
  writeFileSync(`${bare}.new`, `${at}`);
  writeFileSync(bare, `${at}`);
  const watched = msBetween(bareBegan, await told(seenBare, String(at)));
  fleet.edit(String(at));
  let digest: string | null = null;
  // What watches is there before: it is not what is measured.
  const answer = answered(delivery, () => digest);
  const began = process.hrtime.bigint();
  digest = fleet.publish();
  const acknowledged = msBetween(began, await answer);
  return { used: msBetween(began, await told(seen, String(at))), acknowledged, blob, watched };
}

/** Resolves to when the agent acknowledged it, as it is seen from here. */
async function answered(folder: string, digest: () => string | null): Promise<bigint> {
  return whenSeen(folder, () => {
    const answer = readAnswer(folder);
    if (answer === null || answer.digest !== digest()) return null;
    if (answer.verdict !== "ack") throw new Error(`refused: ${JSON.stringify(answer.why)}`);
    return process.hrtime.bigint();
  });
}

/** Resolves to when the agent wrote that line. */
async function told(file: string, text: string): Promise<bigint> {
  return whenSeen(file, () => {
    const line = readFileSync(file, "utf8")
      .split("\n")
      .find((each) => each.endsWith(` ${text}`));
    return line === undefined ? null : BigInt(line.split(" ", 1)[0] ?? "");
  });
}

async function whenSeen(path: string, look: () => bigint | null): Promise<bigint> {
  const changed = new AbortController();
  let wake: () => void = () => undefined;
  const watcher = watch(path, { signal: changed.signal }, () => wake());
  watcher.on("error", () => undefined);
  try {
    const until = performance.now() + patienceMs;
    while (performance.now() < until) {
      const found = look();
      if (found !== null) return found;
      await Promise.race([new Promise<void>((resolve) => (wake = resolve)), sleep(50)]);
    }
    throw new Error(`nothing came in ${path}`);
  } finally {
    changed.abort();
  }
}

function readingsOf(all: readonly Sample[]): Reading[] {
  const blobs = all.map(({ blob }) => blob);
  const against = "one durable write of a blob";
  const part = (what: string, of: readonly number[], share: number, most: number): Reading => {
    const [ours, baseline] = [quantile(of, share), quantile(blobs, share)];
    return {
      what,
      ours: { unit: "ms", value: share === 0.5 ? spread(of) : exactly(ours, of.length) },
      against,
      baseline: { unit: "ms", value: share === 0.5 ? spread(blobs) : exactly(baseline, blobs.length) },
      compared: { unit: "×", value: exactly(ours / baseline, of.length) },
      limit: { kind: "atMost", value: most },
    };
  };
  const acknowledged = all.map((each) => each.acknowledged);
  return [
    part("publish to acknowledged, p50", acknowledged, 0.5, 8),
    part("publish to acknowledged, p99", acknowledged, 0.99, 6),
    part(
      "publish to in use in a turn, p50",
      all.map(({ used }) => used),
      0.5,
      8,
    ),
    {
      what: "a bare watcher that reads its file again, for comparison",
      ours: { unit: "ms", value: spread(all.map(({ watched }) => watched)) },
      against: "polling every five seconds, on average",
      baseline: { unit: "ms", value: exactly(pollingMs / 2, 1) },
      compared: { unit: "ms", value: spread(all.map(({ watched }) => watched)) },
      limit: { kind: "under", value: pollingMs / 2 },
    },
  ];
}

/** Write, sync, rename, sync: what anything costs that is to be there after a loss of power. */
function writeBlob(path: string): void {
  const file = openSync(`${path}.new`, "w", 0o600);
  writeFileSync(file, "x".repeat(4_096));
  fsyncSync(file);
  closeSync(file);
  renameSync(`${path}.new`, path);
  const folder = openSync(dirname(path), "r");
  fsyncSync(folder);
  closeSync(folder);
}

function timed(work: () => void): number {
  const began = process.hrtime.bigint();
  work();
  return msBetween(began, process.hrtime.bigint());
}

function msBetween(from: bigint, to: bigint): number {
  return Number(to - from) / 1e6;
}
