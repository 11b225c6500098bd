import { redactor } from "@moorage/core";
import type { PodLogEvent, PodLogRequest } from "@moorage/kubernetes";
import { describe, expect, it } from "vitest";
import { lastLines } from "./last-lines.ts";

const asItIs = (text: string): string => text;

/** A cluster whose pod wrote these lines; `asked` is what its log was asked with. */
function wrote(lines: readonly (string | Buffer)[], more: readonly PodLogEvent[] = []) {
  const asked: PodLogRequest[] = [];
  async function* podLog(request: PodLogRequest): AsyncGenerator<PodLogEvent, void, undefined> {
    asked.push(request);
    yield* more;
    for (const line of lines) yield { kind: "line", time: 0, stream: null, bytes: Buffer.from(line), ends: true };
  }
  return { asked, podLog };
}

describe("the last lines", () => {
  it("are asked for, of what is there: nobody follows", async () => {
    const cluster = wrote(["one", "two"], [{ kind: "gap" }, { kind: "caughtUp" }]);
    expect(await lastLines(cluster, "pod-1", asItIs)).toEqual(["one", "two"]);
    expect(cluster.asked).toEqual([{ pod: "pod-1", tail: 10, follow: null }]);
  });

  it("are ten, also when more come", async () => {
    const many = Array.from({ length: 25 }, (_, index) => `line ${index}`);
    expect(await lastLines(wrote(many), "pod-1", asItIs)).toEqual(many.slice(15));
  });

  it("move no cursor, colour nothing and turn nothing around, whatever the agent wrote", async () => {
    const lines = [
      "\u001b[31mred\u001b[0m",
      "\u001b[2J\u001b[1;1Hat the top",
      "\u009b5Aabove",
      "over\rwritten\u0008",
      "tab\tstays",
      "\u202eturned\u202c \u2066in\u2069side",
      "bell\u0007\u0000",
      "ä 漢 🙂",
    ];
    expect(await lastLines(wrote(lines), "pod-1", asItIs)).toEqual([
      "red",
      "at the top",
      "above",
      "overwritten",
      "tab\tstays",
      "turned inside",
      "bell",
      "ä 漢 🙂",
    ]);
  });

  it("may be no UTF-8", async () => {
    expect(await lastLines(wrote([Buffer.from([0x61, 0xff, 0x62])]), "pod-1", asItIs)).toEqual(["a\ufffdb"]);
  });

  it("are cut", async () => {
    expect(await lastLines(wrote(["x".repeat(5_000)]), "pod-1", asItIs)).toEqual(["x".repeat(300)]);
  });

  it("fail as the log fails", async () => {
    const cluster = {
      async *podLog(): AsyncGenerator<PodLogEvent, void, undefined> {
        yield { kind: "caughtUp" };
        throw new Error("gone");
      },
    };
    await expect(lastLines(cluster, "pod-1", asItIs)).rejects.toThrow("gone");
  });
});

describe("a secret in them", () => {
  const secret = `begin-${"s".repeat(400)}-end`;
  const redact = redactor([secret, "four-parts-of-one"]);

  it("is hidden before the line is cut, so that no part of it is left", async () => {
    const [line = ""] = await lastLines(wrote([`${"x".repeat(250)} ${secret} tail`]), "pod-1", redact);
    expect(line).toBe(`${"x".repeat(250)} *** tail`);
  });

  it("is hidden where something that is taken out stood in the middle of it", async () => {
    expect(await lastLines(wrote(["a four-\u001b[1mparts-\u0000of-one b"]), "pod-1", redact)).toEqual(["a *** b"]);
  });

  it("is hidden where something that is taken out is a part of it", async () => {
    const odd = "value\u0007with-a-bell";
    expect(await lastLines(wrote([`a ${odd} b`]), "pod-1", redactor([odd]))).toEqual(["a *** b"]);
  });
});
