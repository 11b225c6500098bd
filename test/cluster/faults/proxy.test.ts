// A way to the API server that fails once, at each request of a start and of a stop in turn: exactly one instance, and an honest word.
import { describe, expect, test } from "vitest";
import type { Fate, Passing, Proxy } from "../proxy.ts";
import { thisCluster } from "../this-cluster.ts";
import { afterFault } from "./after-fault.ts";
import { openFaultScene } from "./fault-scene.ts";

const { own } = thisCluster();

/** Milliseconds that a request may take here: no fault is waited for longer, and a busy server does not count as another one. */
const limits = { readMs: 4_000, changeMs: 4_000 };

/** The most requests that an undisturbed start or stop makes. */
const places = [0, 1, 2, 3, 4, 5, 6];

/** From this request of a stop on it only tidies: what fails then leaves the Secret to a later collection. */
const firstTidying = 4;

const delay = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, limits.readMs / 2));

const fates: readonly (readonly [string, Fate])[] = [
  ["the request is sent on late", { kind: "after", wait: delay }],
  ["the connection is cut before the request is sent on", { kind: "cutBefore" }],
  ["the request takes effect and the connection is cut", { kind: "cutAfter" }],
  ["the connection is cut in the middle of the answer", { kind: "cutWithin" }],
  ["the request takes effect and no answer ever comes", { kind: "swallow" }],
  ["the request takes effect only after it was given up", { kind: "late" }],
  ["something in between answers 503 and sends nothing on", { kind: "answer", status: 503, effect: false }],
  ["something in between answers 504 after the effect", { kind: "answer", status: 504, effect: true }],
];

describe.skipIf(own === null)("on our own cluster", () => {
  test.each(fates)("%s, at each request: one instance, then none, and nothing left", async (_words, fate) => {
    const ended = await Promise.allSettled(places.map((place) => startAndStop(fate, place)));
    for (const one of ended) if (one.status === "rejected") throw one.reason;
  });
});

async function startAndStop(fate: Fate, place: number): Promise<void> {
  const scene = await openFaultScene({ limits });
  const { proxy } = scene;
  try {
    strikeAt(proxy, fate, place);
    const started = await scene.start();
    expect.soft(started, `start, request ${place}`).toMatchObject({ outcome: "started", intent: "current" });
    await afterFault(scene, { alive: 1, asked: askedOf(proxy) });
    strikeAt(proxy, fate, place);
    const stopped = await scene.stop();
    const asked = askedOf(proxy);
    expect.soft(stopped, `stop, request ${place}`).toMatchObject({ outcome: "stopped" });
    await afterFault(scene, { alive: 0, orphans: place >= firstTidying ? 1 : 0, asked });
  } finally {
    await scene.end();
  }
}

/** What was asked until now; from here on everything passes. */
function askedOf(proxy: Proxy): readonly Passing[] {
  const { requests } = proxy;
  proxy.decide(() => ({ kind: "pass" }));
  return requests;
}

function strikeAt(proxy: Proxy, fate: Fate, place: number): void {
  proxy.decide((_passing, index) => (index === place ? fate : { kind: "pass" }));
}
