import fc from "fast-check";
import { expect, test } from "vitest";
import { redactor } from "./redact.ts";

const value = fc.oneof(
  fc.string({ minLength: 4, maxLength: 40 }),
  fc.string({ minLength: 4, maxLength: 40, unit: "grapheme" }),
  fc.string({ minLength: 4, maxLength: 12, unit: fc.constantFrom("*", "a", "\n", "\\", '"', "%", "+", "/") }),
  fc.base64String({ minLength: 8, maxLength: 64 }),
);
const around = fc.array(fc.oneof(fc.string(), fc.constantFrom("\n", "***", "\r\n", '"')), { maxLength: 5 });

const forms: readonly (readonly [string, (value: string) => string])[] = [
  ["as it is", (text) => text],
  ["in JSON", (text) => JSON.stringify(text)],
  ["in JSON in JSON", (text) => JSON.stringify(JSON.stringify({ text }))],
  ["in base64", (text) => Buffer.from(text).toString("base64")],
  ["in base64url", (text) => Buffer.from(text).toString("base64url")],
  ["in hex", (text) => Buffer.from(text).toString("hex")],
  ["percent-encoded", (text) => encodeURIComponent(text)],
  ["percent-encoded in small letters", (text) => encodeURIComponent(text).replace(/%../g, (c) => c.toLowerCase())],
  ["form-encoded", (text) => new URLSearchParams([["", text]]).toString().slice(1)],
];

test.each(forms)("a planted value never survives: %s", (_form, encode) => {
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 4 }), around, around, (values, before, after) => {
      const planted = values[0] ?? "";
      const encoded = encode(planted);
      const bare = encoded.replace(/^"|"$/g, "");
      const shown = redactor(values)(`${before.join("")}${encoded}${after.join("")}`);
      for (const each of values) expect(shown).not.toContain(each);
      expect(shown).not.toContain(bare);
    }),
    { numRuns: 400 },
  );
});

test("every value in a text of many lines is hidden, and redacting twice changes nothing", () => {
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 6 }), fc.array(fc.nat(5)), (values, picks) => {
      const hide = redactor(values);
      const shown = hide(picks.map((pick) => `line ${values[pick % values.length] ?? ""} end`).join("\n"));
      for (const each of values) expect(shown).not.toContain(each);
      expect(hide(shown)).toBe(shown);
    }),
  );
});

test("text without anything secret in it stays as it is", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom("agent", "scribe", "runs", "since", "\n", "12:00", "pid 123")), (words) => {
      const text = words.join(" ");
      expect(redactor(["Zq9-secret"])(text)).toBe(text);
    }),
  );
});
