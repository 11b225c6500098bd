import { describe, expect, it } from "vitest";
import type { Attempt } from "./identity.ts";
import {
  attemptOfSecret,
  instanceName,
  nameIdentity,
  parseAttempt,
  parseIdentity,
  secretName,
  selectorValue,
} from "./identity.ts";
import { attempt, fakeDigest, identity, otherIdentity } from "./observed.fixture.ts";
import { moorageProfile } from "./profile.ts";

describe("identity", () => {
  it("is all 64 lower-case hex digits and nothing less", () => {
    expect(parseIdentity(identity)).toBe(identity);
    for (const wrong of [
      identity.slice(1),
      `${identity}0`,
      identity.toUpperCase().replace(/\d/g, "A"),
      `${identity}\n`,
      "",
    ])
      expect(parseIdentity(wrong)).toBeUndefined();
  });

  it("by name hashes the scheme and the name, and nothing of where it runs", () => {
    let text = "";
    nameIdentity("scribe", { ...fakeDigest, text: (value) => ((text = value), "0".repeat(64)) });
    expect(text).toBe("moorage/identity/v1\0scribe");
    expect(nameIdentity("a", fakeDigest)).not.toBe(nameIdentity("b", fakeDigest));
  });

  it("names the objects", () => {
    expect(instanceName(moorageProfile, identity)).toBe(`moorage-${identity.slice(0, 12)}`);
    expect(secretName(moorageProfile, identity, attempt)).toBe(`moorage-${identity.slice(0, 12)}-${attempt}`);
    expect(selectorValue(identity)).toBe(identity.slice(0, 32));
  });

  it("reads an attempt only out of a Secret's name of this identity", () => {
    expect(attemptOfSecret(moorageProfile, identity, secretName(moorageProfile, identity, attempt))).toBe(attempt);
    expect(
      attemptOfSecret(moorageProfile, identity, secretName(moorageProfile, otherIdentity, attempt)),
    ).toBeUndefined();
    expect(
      attemptOfSecret(moorageProfile, identity, `${instanceName(moorageProfile, identity)}-config`),
    ).toBeUndefined();
    expect(parseAttempt("XYZ")).toBeUndefined();
    expect(parseAttempt("abcdef01") satisfies Attempt | undefined).toBe("abcdef01");
  });
});
