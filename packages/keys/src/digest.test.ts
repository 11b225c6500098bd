import { describe, expect, test } from "vitest";
import { DigestError } from "./canonical-form.ts";
import { sha256 } from "./digest.ts";

describe("SHA-256 over text", () => {
  test("the vectors of FIPS 180", () => {
    expect(sha256.text("")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect(sha256.text("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  });

  test("two different lone surrogates are refused: in UTF-8 both would be the same", () => {
    expect(() => sha256.text("\ud800")).toThrow(DigestError);
    expect(() => sha256.text("a\udc00b")).toThrow(DigestError);
  });
});
