// 200 agents on two cores with turns one after the other: how long after the call that publishes each of them has used and acknowledged it.
import { watch } from "node:fs";
import http from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { readAnswer } from "@moorage/harness/delivery";
import type { Reading } from "../measure.ts";
import { exactly, quantile } from "../measure.ts";
import type { Place } from "../place.ts";
import { openFleet } from "./fleet.ts";

const count = 200;
/** The first is left out: nothing of what it needs is in memory yet. */
const roundsOf = 6;
const pauseMs = 100;

export async function deliveryToMany(place: Place): Promise<Reading[]> {
  // The processes sleep: their turns are taken from here, as 200 agents in Node would be measured and not what they are given.
  const fleet = await openFleet(place, count, ["sleep", "100000"], {});
  const over = new AbortController();
  const turns = fleet.sockets.map((socket) => takeTurns(socket, over.signal));
  try {
    const latencies: number[] = [];
    for (let round = 0; round <= roundsOf && !place.signal.aborted; round += 1) {
      fleet.edit(`round ${round}`);
      const began = performance.now();
      const digest = fleet.publish();
      const each = await Promise.all(fleet.deliveries.map((folder) => acknowledged(folder, digest, began)));
      if (round > 0) latencies.push(...each);
      await sleep(500);
    }
    const p99 = { unit: "s", value: exactly(quantile(latencies, 0.99) / 1_000, latencies.length) } as const;
    const limit = { kind: "atMost", value: 1.5 } as const;
    return [
      {
        what: "publish to acknowledged, 200 agents, p99",
        ours: p99,
        against: null,
        baseline: null,
        compared: p99,
        limit,
      },
    ];
  } finally {
    over.abort();
    await Promise.allSettled(turns);
    await fleet.close();
  }
}

async function acknowledged(folder: string, digest: string, began: number): Promise<number> {
  let wake: () => void = () => undefined;
  const watcher = watch(folder, () => wake());
  try {
    for (let left = 600; left > 0; left -= 1) {
      const answer = readAnswer(folder);
      if (answer?.digest === digest && answer.verdict === "ack") return performance.now() - began;
      await Promise.race([new Promise<void>((resolve) => (wake = resolve)), sleep(50)]);
    }
    throw new Error(`no answer in ${folder}`);
  } finally {
    watcher.close();
  }
}

/** A turn, and after a short pause the next, as an agent with something to do. */
async function takeTurns(socketPath: string, over: AbortSignal): Promise<void> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const call = (method: string, path: string): Promise<{ readonly id: string }> =>
    new Promise((resolve, reject) => {
      const sent = http.request({ socketPath, agent, method, path }, (response) => {
        let text = "";
        response.on("data", (part: Buffer) => (text += part.toString()));
        response.on("end", () => resolve(JSON.parse(text) as { readonly id: string }));
      });
      sent.on("error", reject);
      sent.end();
    });
  while (!over.aborted) {
    const { id } = await call("POST", "/v1/turns");
    await call("DELETE", `/v1/turns/${id}`);
    await sleep(pauseMs, undefined, { signal: over }).catch(() => undefined);
  }
  agent.destroy();
}
