/** The contract of the port itself: names, versions, fences, marks and hints, as every loop takes them for granted. */
import type { Hint, ObservedInstance } from "@moorage/core";
import { createAbort } from "@moorage/core";
import { expect, test } from "vitest";
import type { Bench } from "./bench.ts";

export function contract(bench: () => Bench): void {
  const present = async (): Promise<ObservedInstance> => {
    const reading = await bench().substrate.readInstances(bench().identity);
    const instance = reading.kind === "read" ? reading.instances[0] : undefined;
    if (instance === undefined) throw new Error("nothing is there");
    return instance;
  };

  test("a name is unique, an incarnation has a UID of its own, and versions differ", async () => {
    await bench().start();
    const first = await present();
    await bench().stop();
    await bench().start();
    const second = await present();
    expect(second.name).toBe(first.name);
    expect(second.fence.uid).not.toBe(first.fence.uid);
    expect(second.fence.resourceVersion).not.toBe(first.fence.resourceVersion);
    expect(second.attempt).not.toBe(first.attempt);
  });

  test("what is not there is told as that", async () => {
    const { substrate, identity, name } = bench();
    const nothing = { uid: "none", resourceVersion: "1" };
    expect(await substrate.readInstances(identity)).toMatchObject({ kind: "read", instances: [] });
    expect(await substrate.readName(name)).toEqual({ kind: "absent" });
    expect(await substrate.secretExists(`${name}-0123456789abcdef`)).toEqual({ kind: "absent" });
    expect(await substrate.deleteInstance(name, nothing)).toEqual({ kind: "notFound" });
    expect(await substrate.deleteSecret(`${name}-0123456789abcdef`, nothing)).toEqual({ kind: "notFound" });
  });

  test("the Secret of the attempt is there, with a creation time that the substrate's own clock can judge", async () => {
    const { substrate, identity, name } = bench();
    await bench().start();
    const { attempt } = await present();
    expect(await substrate.secretExists(`${name}-${attempt ?? ""}`)).toEqual({ kind: "present" });
    const listing = await substrate.listSecrets(identity);
    if (listing.kind !== "read") throw new Error(listing.kind);
    const age = (listing.serverTime ?? Number.NaN) - (listing.secrets[0]?.createdAt ?? Number.NaN);
    expect(age).toBeGreaterThanOrEqual(0);
    expect(age).toBeLessThan(60_000);
    const secret = listing.secrets[0];
    if (secret === undefined) throw new Error("no Secret");
    const stale = { ...secret.fence, resourceVersion: `${secret.fence.resourceVersion}0` };
    expect(await substrate.deleteSecret(secret.name, stale)).toEqual({ kind: "conflict" });
    expect(await substrate.deleteSecret(secret.name, secret.fence)).toEqual({ kind: "accepted" });
    expect(await substrate.secretExists(secret.name)).toEqual({ kind: "absent" });
  });

  test("a mark changes the version and is seen while the agent goes on within its grace", async () => {
    await bench().start({ behaviour: "endsSlowly" });
    const before = await present();
    expect(await bench().substrate.deleteInstance(before.name, before.fence)).toEqual({ kind: "accepted" });
    const marked = await present();
    expect(marked.deletion).not.toBeNull();
    expect(marked.fence.uid).toBe(before.fence.uid);
    expect(marked.fence.resourceVersion).not.toBe(before.fence.resourceVersion);
    expect(marked.evidence.container.state).toBe("running");
    expect(await bench().substrate.deleteInstance(before.name, before.fence)).toEqual({ kind: "conflict" });
  });

  test("a follow from a list's version misses nothing, and a removal carries the last state", async () => {
    const { substrate, identity } = bench();
    await bench().start();
    const reading = await substrate.readInstances(identity);
    if (reading.kind !== "read") throw new Error(reading.kind);
    await bench().stop();
    const abort = createAbort();
    const hints: Hint[] = [];
    for await (const hint of substrate.follow(identity, reading.version, abort.signal)) {
      hints.push(hint);
      if (hint.kind !== "changed") break;
    }
    abort.abort();
    const last = hints.at(-1);
    expect(last).toMatchObject({ kind: "removed", last: { evidence: { container: { state: "terminated" } } } });
  });

  test("a follow ends when it is aborted", async () => {
    const { substrate, identity } = bench();
    await bench().start();
    const reading = await substrate.readInstances(identity);
    if (reading.kind !== "read") throw new Error(reading.kind);
    const abort = createAbort();
    const hints = substrate.follow(identity, reading.version, abort.signal)[Symbol.asyncIterator]();
    const next = hints.next();
    abort.abort();
    expect(await next).toMatchObject({ done: true });
  });
}
