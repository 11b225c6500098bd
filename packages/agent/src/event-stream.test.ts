import { expect, it } from "vitest";
import type { HarnessEvent } from "./event-stream.ts";
import { eventParser } from "./event-stream.ts";

const text =
  ': listening\n\nevent: drain\ndata: {"drainMs":1}\n\nevent: later\ndata: not json\n\nevent: other\ndata: 2\n\n';

it("events come out whole whatever the pieces", () => {
  for (let size = 1; size <= text.length; size += 1) {
    const seen: HarnessEvent[] = [];
    const parse = eventParser((event) => seen.push(event));
    for (let at = 0; at < text.length; at += size) parse(text.slice(at, at + size));
    expect(seen).toEqual([
      { name: "drain", data: { drainMs: 1 } },
      { name: "other", data: 2 },
    ]);
  }
});
