import { describe, expect, it } from "vitest";
import { PlainDataError } from "../plain-data.ts";
import { MemoryDocuments } from "../ports/memory-documents.fixture.ts";
import { gateAdmission } from "./gate-admission.ts";
import { gateFor, readGate, shift, writeGate } from "./gate-documents.ts";
import { oldTarget, proposed, wireTarget } from "./moves.fixture.ts";

const pass = { kind: "pass", notes: { fleet: "writers" } };

function start(documents: MemoryDocuments, target = oldTarget) {
  return gateAdmission(documents, "writers", target);
}

async function gateOf(documents: MemoryDocuments, open: typeof oldTarget | null, epoch: number): Promise<void> {
  const found = await documents.read("gate", "writers");
  await documents.swap("gate", "writers", found?.revision ?? null, writeGate({ epoch, open, mover: "m1" }));
}

describe("a start at the gate", () => {
  it("of a fleet that nobody has started gives it its formats, once", async () => {
    const documents = new MemoryDocuments();
    const both = await Promise.all([start(documents).begin(), start(documents, wireTarget).begin()]);
    expect(both.map(({ kind }) => kind)).toEqual(["pass", "refuse"]);
    expect((await readGate(documents, "writers"))?.gate).toEqual({ epoch: 1, open: oldTarget, mover: null });
  });

  it("passes twice with the formats of its fleet", async () => {
    const documents = new MemoryDocuments();
    const admission = start(documents);
    expect(await admission.begin()).toEqual(pass);
    expect(await admission.stillHolds()).toBeNull();
  });

  it("with other formats is refused by the axis, and told what helps", async () => {
    const documents = new MemoryDocuments();
    await start(documents).begin();
    expect(await start(documents, wireTarget).begin()).toMatchObject({
      kind: "refuse",
      condition: {
        code: "otherFormats",
        message: expect.stringContaining("wire version is 4"),
        hint: expect.stringContaining("update apply"),
      },
    });
  });

  it("is refused while the fleet is closed, and told by which move", async () => {
    const documents = new MemoryDocuments();
    const admission = start(documents);
    await admission.begin();
    await gateOf(documents, null, 2);
    const closed = { code: "fleetClosed", message: expect.stringContaining("m1") as string };
    expect(await admission.stillHolds()).toMatchObject(closed);
    expect(await start(documents).begin()).toMatchObject({ kind: "refuse", condition: closed });
  });

  it("creates nothing once the gate was shifted, even if it is open again for the same formats", async () => {
    const documents = new MemoryDocuments();
    const admission = start(documents);
    expect(await admission.stillHolds()).toMatchObject({ code: "gateMoved" });
    await admission.begin();
    await gateOf(documents, oldTarget, 3);
    expect(await admission.stillHolds()).toMatchObject({ code: "gateMoved" });
    expect(await admission.begin()).toEqual(pass);
    expect(await admission.stillHolds()).toBeNull();
    await documents.swap("gate", "writers", 2, null);
    expect(await admission.stillHolds()).toMatchObject({ code: "gateMoved" });
  });

  it.each([
    ["torn", "{"],
    ["of another format", JSON.stringify({ format: 2, epoch: 1, open: null, mover: null })],
    ["with a field too many", JSON.stringify({ format: 1, epoch: 1, open: null, mover: null, more: 1 })],
    ["with a malformed target", JSON.stringify({ format: 1, epoch: 1, open: { wireVersion: 1 }, mover: null })],
  ])("does not pass a gate that is %s", async (_, text) => {
    const documents = new MemoryDocuments();
    await documents.swap("gate", "writers", null, text);
    await expect(start(documents).begin()).rejects.toThrow(PlainDataError);
    await expect(gateFor(documents, "writers", oldTarget)).rejects.toThrow(PlainDataError);
  });
});

it("a shift that somebody else was faster with writes nothing", async () => {
  const documents = new MemoryDocuments();
  await start(documents).begin();
  const otherMoves = async (): Promise<boolean> => {
    if ((await readGate(documents, "writers"))?.gate.epoch === 1)
      await documents.swap("gate", "writers", 1, writeGate({ epoch: 5, open: oldTarget, mover: "another" }));
    return true;
  };
  expect(await shift(documents, proposed(), { kind: "close", epoch: 1 }, otherMoves)).toEqual({
    kind: "epochLost",
    epoch: 5,
  });
  expect((await readGate(documents, "writers"))?.gate).toEqual({ epoch: 5, open: oldTarget, mover: "another" });
  expect(await shift(documents, proposed(), { kind: "close", epoch: 5 }, async () => false)).toBeNull();
});
