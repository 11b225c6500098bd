// After each test file nothing of it may be left in the worker: no timer, socket, server, pipe, watcher or child process.
import { afterAll, beforeAll } from "vitest";

const watched = new Set([
  "FSEventWrap",
  "PipeServerWrap",
  "PipeWrap",
  "ProcessWrap",
  "StatWatcher",
  "TCPServerWrap",
  "TCPSocketWrap",
  "Timeout",
  "UDPWrap",
]);
const patienceMs = 2_000;

let before = new Map<string, number>();

beforeAll(() => {
  before = countActive();
  // The runner's own timers of this moment end by themselves; at rest it has none that hold the process.
  before.delete("Timeout");
});

afterAll(async () => {
  const deadline = performance.now() + patienceMs;
  let leaks = leaksSince(before);
  while (leaks.length > 0 && performance.now() < deadline) {
    await new Promise((resolve) => setImmediate(resolve));
    leaks = leaksSince(before);
  }
  if (leaks.length > 0) throw new Error(`This test file leaves behind: ${leaks.join(", ")}`);
});

function countActive(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo())
    if (watched.has(kind)) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

function leaksSince(earlier: ReadonlyMap<string, number>): string[] {
  return [...countActive()]
    .map(([kind, count]) => [kind, count - (earlier.get(kind) ?? 0)] as const)
    .filter(([, more]) => more > 0)
    .map(([kind, more]) => `${more} ${kind}`);
}
