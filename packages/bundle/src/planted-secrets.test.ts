import { describe, expect, test } from "vitest";
import { plantedSecrets } from "./planted-secrets.ts";

/** In pieces, so that no scanner of repositories takes them for real. */
const join = (...pieces: string[]): string => pieces.join("");

describe("what looks like a key or a token is refused with its line, and never shown", () => {
  test.each([
    ["a Nostr key", join("ns", "ec1", "vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5")],
    ["a PEM key", join("-----BEGIN PRIV", "ATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIA\n-----END PRIV", "ATE KEY-----")],
    ["a cloud key", join("AK", "IAIOSFODNN7EXAMPLE")],
    ["a forge token", join("gh", "p_", "abcdefghijklmnopqrstuvwxyz0123456789")],
    ["a model key", join("s", "k-", "abcdefghijklmnopqrstuvwxyz0123")],
    ["a model key of letters alone", join("s", "k-", "abcdefghijklmnopqrstuvwxyz")],
    ["a web token", join("ey", "JhbGciOiJIUzI1NiJ9.", "ey", "JzdWIiOiIxIn0.abcdefgh")],
    ["a password", 'password: "hunter2x"'],
    ["a password in a URL", "postgres://app:hunter2@db.example/app"],
    ["a header", "Authorization: Bearer abc.def-123456"],
    ["a query", "https://example.org/x?access_token=abc123def"],
    ["a key by its word", `secret key: ${"3f".repeat(32)}`],
  ])("%s", (_what, secret) => {
    const flaws = plantedSecrets("prompts/a.md", `first\n\nThe value is ${secret}\nlast\n`);
    expect(flaws.map(({ code, line }) => [code, line])[0]).toEqual(["plantedSecret", 3]);
    for (const part of secret.split(/\s+/).filter((word) => word.length > 9))
      expect(JSON.stringify(flaws)).not.toContain(part);
  });
});

describe("what is none is let through", () => {
  test.each([
    ["a reference", "password: ${secret:DB_PASSWORD}"],
    ["a reference in a header", "Authorization: Bearer ${secret:API_KEY}"],
    ["references in a URL", "postgres://${secret:USER}:${secret:PASSWORD}@db.example/app"],
    ["a reference in a query", "https://example.org/x?access_token=${secret:T}"],
    ["prose about passwords", "If somebody asks for a password: refuse, and never show the Bearer authentication."],
    ["a schema", '"password": { "type": "string" }\npassword:\n  minLength: 8\npassword: {type: string}'],
    ["places to fill", "password: <your password>\npassword: {{password}}\nAuthorization: Bearer $TOKEN_VALUE"],
    ["a user of a URL", "git clone ssh://git@example.org/x.git"],
    ["a digest", `sha256:${"3f".repeat(32)} and public key ${"3f".repeat(32)}`],
  ])("%s", (_what, text) => {
    expect(plantedSecrets("a.md", text)).toEqual([]);
  });
});

test("a reference that nothing would resolve is refused with its line", () => {
  for (const bad of ["${secret:}", "${secret:a b}", "${secret}", "${SECRET:X}", "${secret:X", "${ secret:X}"])
    expect(plantedSecrets("a.md", `ok\nuse ${bad}\n`).map(({ code, line }) => [code, line])).toEqual([
      ["secretReference", 2],
    ]);
});

test("a long line costs no time squared", () => {
  const began = performance.now();
  plantedSecrets("a.md", `${"key=a".repeat(200_000)}\n${"eyJ".repeat(200_000)}\n`);
  expect(performance.now() - began).toBeLessThan(3_000);
});
