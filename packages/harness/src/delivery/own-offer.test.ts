import fs from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { contentOf, done, healthy, Quay, takeTurn } from "./delivery.fixture.ts";
import { deliveryPaths, readAnswer, writeOffer } from "./delivery-files.ts";

let quay: Quay;

beforeEach(() => {
  quay = new Quay();
});
afterEach(() => quay.clear());

describe("an offer for one agent alone", () => {
  it("wins by its sequence, and what its fleet has is no offer meanwhile", async () => {
    quay.publish("one");
    const delivery = await quay.running();
    const two = quay.publish("two", { assign: false });
    delivery.look(healthy);
    expect(takeTurn(delivery)).toBe("one");
    writeOffer(quay.folder, two);
    delivery.look(healthy);
    expect(takeTurn(delivery)).toBe("two");
    delivery.exited(done, true);
    fs.rmSync(deliveryPaths(quay.folder).offer);
    (await quay.running()).look(healthy);
    expect(contentOf(quay.link)).toBe("two");
    expect(readAnswer(quay.folder)).toBe(null);
    expect(quay.raised).toEqual([]);
  });

  it("is no offer any more once its fleet has a later one", async () => {
    quay.publish("one");
    const delivery = await quay.running();
    writeOffer(quay.folder, quay.publish("two", { assign: false }));
    delivery.look(healthy);
    expect(takeTurn(delivery)).toBe("two");
    quay.publish("three");
    delivery.look(healthy);
    expect(takeTurn(delivery)).toBe("three");
  });
});
