import { afterEach, beforeEach, expect, it } from "vitest";
import { crash, healthy, Quay, run } from "./delivery.fixture.ts";
import type { Delivery } from "./delivery.ts";
import { readDelivery } from "./delivery-files.ts";

const unknown = { kind: "unknown" } as const;
let quay: Quay;
let delivery: Delivery;

beforeEach(() => {
  quay = new Quay();
  quay.publish("one");
  delivery = quay.open({ signal: "SIGHUP" });
  delivery.prepareStart({ ...run, check: true });
  delivery.started();
});
afterEach(() => quay.clear());

const use = (): unknown => readDelivery(quay.folder)?.use;

it("a declared check decides once the bake time is over, by what it says then", () => {
  delivery.look(healthy);
  quay.now += 11_000;
  delivery.look(unknown);
  expect(use()).toMatchObject({ kind: "trial", progress: { baked: true, checked: false } });
  delivery.look(healthy);
  expect(use()).toMatchObject({ kind: "confirmed", proof: "proven" });
});

it("a check that fails on trial brings it back, and one that fails without a trial does nothing", async () => {
  quay.now += 11_000;
  delivery.look(healthy);
  delivery.unhealthy("no answer");
  expect(use()).toMatchObject({ kind: "confirmed" });
  quay.publish("two");
  delivery.look(healthy);
  delivery.unhealthy("no answer");
  expect(use()).toMatchObject({ kind: "returning", why: { reason: "health", detail: "no answer" } });
  expect(delivery.exited(crash, true)).toMatchObject({ kind: "again" });
  await delivery.settled();
  expect(quay.raised).toMatchObject([{ about: "bundleReverted", evidence: { reason: "health" } }]);
});
