import { describe, expect, test } from "vitest";
import { redactor } from "./redact.ts";
import { secretShapes } from "./secret-shapes.ts";

const hex = "67dea2ed018072d675f5415ecfaed7d2597555e202d85b3d65ea4e58d2d92ffa";
const nothing = redactor([]);

describe("known values", () => {
  test("the longest first, so that no end of one is left", () => {
    expect(redactor(["pass", "password-and-more"])("it is password-and-more, pass")).toBe("it is ***, ***");
  });

  test("values below four characters are left alone", () => {
    expect(redactor(["on", "1", "dev"])("on 1 dev")).toBe("on 1 dev");
  });

  test("a value that a hidden place would complete", () => {
    expect(redactor(["****"])("a******b")).toBe("a***b");
    expect(redactor(["gone", "x***y"])("xgoney")).toBe("***");
  });

  test("a value of several lines, shown line by line or with other ends of lines", () => {
    const hide = redactor(["first-line-of-it\nsecond-line-of-it"]);
    expect(hide("> first-line-of-it\n> second-line-of-it\n")).toBe("> ***\n> ***\n");
    expect(hide("first-line-of-it\r\nsecond-line-of-it")).toBe("***");
  });

  test("inside of base64 of something longer, at each offset", () => {
    for (const before of ["", "u", "us", "use", "user:"]) {
      const text = Buffer.from(`${before}correct-horse-battery:after`).toString("base64");
      const shown = redactor(["correct-horse-battery"])(text);
      expect(shown).toContain("***");
      expect(Buffer.from(shown.replace("***", ""), "base64").toString("latin1")).not.toContain("horse");
    }
  });
});

describe("shapes", () => {
  test.each([
    ["nsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5", "***"],
    [`secret key: ${hex}`, "secret key: ***"],
    [`SCRIBE_KEY=${hex}`, "SCRIBE_KEY=***"],
    [`{"private_key":"${hex}"}`, '{"private_key":"***"}'],
    [`the seed is ${hex}.`, "the seed is ***."],
    ["sk-proj-abcdefghij0123456789", "***"],
    ["sk-ant-api03-AbCdEfGh_IjKl-0123456789", "***"],
    ["ghp_0123456789abcdefghijABCDEFGHIJ012345", "***"],
    ["github_pat_11ABCDEFG0123456789_abcdefghij", "***"],
    ["xoxb-123456789012-abcdefghijkl", "***"],
    ["AKIAIOSFODNN7EXAMPLE", "***"],
    ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dozjgNryP4J3jVmNHl0w5N", "***"],
    ["Authorization: Bearer abcdefghijklmnop", "Authorization: Bearer ***"],
    ["authorization: basic dXNlcjpwYXNzd29yZA==", "authorization: basic ***"],
    ["postgres://user:p@ss:word@db.example:5432/x", "postgres://***@db.example:5432/x"],
    ["https://token@example.org/a@b", "https://***@example.org/a@b"],
    ["mount error: //user:p@ss:word@files.example/share", "mount error: //***@files.example/share"],
    ["GET /x?access_token=abcdefgh&n=1", "GET /x?access_token=***&n=1"],
    ['password="hunter2hunter2"', 'password="***"'],
    ["pwd: hunter2hunter2", "pwd: ***"],
    ["a\n-----BEGIN OPENSSH PRIVATE KEY-----\nabc\ndef\n-----END OPENSSH PRIVATE KEY-----\nb", "a\n***\nb"],
    ["-----BEGIN PRIVATE KEY-----\nabc\n(cut here", "***"],
    ['{"k":"-----BEGIN RSA PRIVATE KEY-----\\nabc\\n-----END RSA PRIVATE KEY-----\\n"}', '{"k":"***\\n"}'],
  ])("%s", (text, shown) => {
    expect(nothing(text)).toBe(shown);
    expect(nothing(shown)).toBe(shown);
  });

  test.each([
    `identity ${hex}`,
    `m1:${hex}`,
    `public key ${hex}`,
    `pubkey=${hex}`,
    `sha256:${hex}`,
    "secret moorage-67dea2ed0180-0123456789abcdef is missing",
    "https://example.org/a?b=c#d",
    "mail someone@example.org",
    "// see: someone@example.org",
    "basic authentication failed",
    "-----BEGIN PUBLIC KEY-----\nabc\n-----END PUBLIC KEY-----",
    "skipped: risk-free",
    "PWD=/home/anna/scribe",
  ])("%s stays", (text) => {
    expect(nothing(text)).toBe(text);
  });
});

test.each([
  "a.",
  "eyJ-",
  "key",
  "key-",
  "?a",
  "basic ",
  "-----BEGIN PRIVATE KEY",
  "a://b",
  "sk-",
  "pub key ",
  "token=",
  "nsec1",
])("a long line of %s costs no time squared: it would not come to an end here", (piece) => {
  nothing(piece.repeat(Math.ceil(300_000 / piece.length)));
});

test.each([
  ["Go", "p&ss<w>rd", "p\\u0026ss\\u003cw\\u003erd"],
  ["Go, with its line separators", "a\u2028b\u2029&c", "a\\u2028b\\u2029\\u0026c"],
  ["Gson", "it's=one", "it\\u0027s\\u003done"],
])("as %s writes JSON", (_, value, form) => {
  expect(redactor([value])(`object {"A":"${form}"}`)).toBe('object {"A":"***"}');
  expect(redactor([value])(`object ${JSON.stringify(`{"A":"${form}"}`)}`)).toBe(
    `object ${JSON.stringify('{"A":"***"}')}`,
  );
});

test("a long line costs no time squared: no part of a shape that may repeat stands beside another", () => {
  // By the form, and not by a clock: where both may match the same blanks, each way to share them is tried.
  for (const { pattern } of secretShapes)
    expect(pattern.source, pattern.source).not.toMatch(/\\s\*\(\?:[^()]*\)\?\\s\*/);
  const long = " ".repeat(200_000);
  for (const word of ["key", "password", "token =", "Bearer", "https://", "//a:"])
    expect(redactor([])(`${word}${long}x`)).toBe(`${word}${long}x`);
});
