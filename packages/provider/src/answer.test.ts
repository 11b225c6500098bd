import { describe, expect, it } from "vitest";
import { answerLine } from "./answer.ts";

const refused = (error: string): string => answerLine({ ok: false, error });

describe("an answer", () => {
  it("is one object on one line", () => {
    expect(answerLine({ ok: true, agent_id: "buzz-agent-0123456789ab" })).toBe(
      '{"ok":true,"agent_id":"buzz-agent-0123456789ab"}\n',
    );
    expect(refused("one\ntwo\r\u2028")).toBe('{"ok":false,"error":"one\\ntwo\\r\u2028"}\n');
  });

  it("has its error whole up to 8,000 characters, and is cut beyond", () => {
    const longest = "x".repeat(8_000);
    expect(JSON.parse(refused(longest))).toEqual({ ok: false, error: longest });
    expect(JSON.parse(refused(`${longest}y`))).toEqual({ ok: false, error: `${longest}…` });
    expect(refused("\u0001".repeat(10_000_000)).length).toBeLessThan(60_000);
  });

  it("has whole characters only, since readers refuse a line with half of one", () => {
    for (const line of [refused("a\ud83db"), refused("\ude00"), refused(`${"x".repeat(7_999)}😀`)])
      expect(line).not.toMatch(/\\ud[89a-f]/);
    expect(JSON.parse(refused("😀"))).toEqual({ ok: false, error: "😀" });
  });
});
