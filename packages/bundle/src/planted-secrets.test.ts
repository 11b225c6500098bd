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
    ["a cloud's secret key", join("aws_secret_access", '_key = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"')],
    ["a newer model key", join("s", "k-", "ant-api03-", "AbC_dEf-0123456789-xyzXYZ")],
    ["a model key of a project", join("s", "k-", "proj-", "T3BlbkFJabcdefghijklmnop_qrst")],
    ["a chat token", join("xo", "xb-", "123456789012-abcdefABCDEF")],
    ["a chat's hook", join("https://hooks.sl", "ack.com/services/", "T0123ABCD/B0123ABCD/abcdefghijklmnopqrstuvwx")],
    ["a forge's newer token", join("github", "_pat_", "11ABCDEFG0abcdefghij_klmnopqrst")],
    ["another forge's token", join("gl", "pat-", "abcdefghij0123456789")],
    ["a payment key", join("s", "k_live_", "abcdefghij0123456789")],
    ["a payment hook's secret", join("wh", "sec_", "abcdefghij0123456789abcd")],
    ["a mail key", join("S", "G.", "abcdefghij0123456789.abcdefghij0123456789")],
    ["a package token", join("py", "pi-", "AgEIcHlwaS5vcmcCJGFiY2RlZmdoaWprbG1ub3A")],
    ["a cloud's token", join("do", "p_v1_", "0123456789abcdef".repeat(4))],
    ["a bot's token", join("1234567890", ":AA", "abcdefghijklmnopqrstuvwxyz0123456")],
    ["a map key", join("AI", "za", "SyA1234567890abcdefghijklmnopqrstuv")],
    ["a key by the name of its field", '"api_key": "8f14e45fceea167a5a36dedd4bea2543"'],
    ["a client's secret", "CLIENT_SECRET=q9A1b2C3d4E5f6G7h8"],
    ["a locked PEM key", join("-----BEGIN ENCRYPTED PRIV", "ATE KEY-----")],
    ["an SSH key", join("-----BEGIN OPENSSH PRIV", "ATE KEY-----")],
    ["an age key", join("AGE-SECRET", "-KEY-1", "QQPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L")],
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
    ["names of columns and settings", "pk_customer_orders_id, sk-learn-classifier-v2, npm_config_legacy_peer_deps"],
    ["a UUID", "id: 123e4567-e89b-12d3-a456-426614174000"],
    ["a public key", "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA\n-----END PUBLIC KEY-----"],
    ["a certificate", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----"],
    ["a public key of SSH", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl a@b"],
    ["a Nostr public key", "npub10elfcs4fr0l0r8af98jlmgdh9c8tcxjvz9qkw038js35mp4dma8qzvjptg"],
    ["a commit and a catalog hash", `${"a94a8fe5".repeat(5)} v1:sha256:${"0f".repeat(32)}`],
    ["settings about tokens", "max_tokens: 4096\naccess_token: string\napi_key: YOUR_API_KEY_GOES_HERE"],
    ["a field of a schema", '"api_key": { "type": "string", "description": "the key" }'],
    ["a reference by the name of its field", 'api_key: "${secret:MODEL_KEY}"'],
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
