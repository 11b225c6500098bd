import { createAbort } from "@moorage/core";
import { describe, expect, it } from "vitest";
import { clientClock } from "./client-clock.ts";

describe("the clock of the client", () => {
  it("goes on in milliseconds while somebody sleeps", async () => {
    const before = clientClock.now();
    await clientClock.sleep(2);
    expect(clientClock.now()).toBeGreaterThan(before);
  });

  it("wakes up whoever is not to sleep any longer, and leaves nothing behind", async () => {
    const abort = createAbort();
    const sleeping = clientClock.sleep(600_000, abort.signal);
    abort.abort();
    await sleeping;
    await clientClock.sleep(600_000, abort.signal);
    await clientClock.sleep(0);
    await clientClock.sleep(-5);
  });
});
