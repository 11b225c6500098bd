import { describe, expect, test } from "vitest";
import { decodeEvent, inOrder } from "./cluster-event.ts";
import type { Fields } from "./json-fields.ts";
import { waiting } from "./waiting.fixture.ts";

function event(more: object): Fields {
  return {
    metadata: { uid: "e1", resourceVersion: "9", creationTimestamp: "2030-01-01T00:00:00Z" },
    involvedObject: { kind: "Pod", name: "moorage-0123456789ab", uid: "u1" },
    type: "Warning",
    reason: "Failed",
    message: "it failed",
    ...more,
  };
}

const said = (reason: string, message: string): string => decodeEvent(event({ reason, message }))?.event.message ?? "";

describe("when and how often", () => {
  test.each([
    [{ firstTimestamp: "2030-01-01T00:00:01Z", lastTimestamp: "2030-01-01T00:00:09Z", count: 4 }, "09", "01", 4],
    [{ eventTime: "2030-01-01T00:00:02.5Z", firstTimestamp: null, lastTimestamp: null }, "02.500", "02.500", 1],
    [
      { eventTime: "2030-01-01T00:00:02Z", series: { count: 3, lastObservedTime: "2030-01-01T00:00:07Z" } },
      "07",
      "02",
      3,
    ],
    [{}, "00", "00", 1],
  ])("%j", (more, at, since, count) => {
    const iso = (second: string): string => new Date(`2030-01-01T00:00:${second}Z`).toISOString();
    expect(decodeEvent(event(more))?.event).toMatchObject({ at: iso(at), since: iso(since), count });
  });

  test("oldest first; of one time as they were written, also beyond a digit", () => {
    const at = (version: string, lastTimestamp: string): Fields =>
      event({ metadata: { uid: version, resourceVersion: version }, lastTimestamp });
    const all = [at("10", "2030-01-01T00:00:01Z"), at("9", "2030-01-01T00:00:01Z"), at("99", "2030-01-01T00:00:00Z")];
    const events = all.map(decodeEvent).filter((one) => one !== null);
    expect(inOrder(events).map(({ uid }) => uid)).toEqual(["99", "9", "10"]);
  });

  test.each([[{ involvedObject: {} }], [{ metadata: {} }], [{ metadata: { uid: "e", resourceVersion: "1" } }]])(
    "%j is none",
    (more) => {
      expect(decodeEvent(event(more))).toBeNull();
    },
  );

  test("every recorded one is decoded", () => {
    for (const { events } of Object.values(waiting))
      for (const one of events) expect(decodeEvent(one)?.event).toMatchObject({ at: expect.stringMatching(/^2026-/) });
  });
});

describe("what it says", () => {
  const token = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJwdWxsIn0.c2lnbmF0dXJl";
  const image = "registry.example/team/app:1";

  test.each([
    [
      "Failed",
      `Failed to pull image "${image}": failed to authorize: failed to fetch oauth token: unexpected status from GET request to https://auth.example/token?account=ada&password=verysecret: 401 Unauthorized`,
    ],
    [
      "Failed",
      `Failed to pull image "${image}": rpc error: code = Unknown desc = Get "https://ada:verysecret@registry.example/v2/": dial tcp: lookup registry.example: no such host`,
    ],
    [
      "BackOff",
      `Back-off pulling image "${image}": ErrImagePull: failed to do request: Head "https://registry.example/v2/?X-Amz-Signature=verysecret": EOF`,
    ],
    ["InspectFailed", `Failed to apply default image tag "${image}": verysecret`],
    [
      "FailedCreatePodSandBox",
      `Failed to create pod sandbox: rpc error: code = Unknown desc = failed to get sandbox image "pause:1": failed to pull image: ${token}: verysecret`,
    ],
    ["Failed", `Error: ErrImagePull: unexpected: verysecret`],
    ["Failed", `Error: ImageInspectError: verysecret`],
  ])("of a pull is told in words of ours: %s %#", (reason, message) => {
    const words = said(reason, message);
    expect(words).not.toMatch(/verysecret|eyJ|https?:/);
    expect(words).toMatch(/cannot be pulled|cannot pull/);
  });

  test("of a pull that begins or is done is told as it is", () => {
    expect(said("Pulling", `Pulling image "${image}"`)).toBe(`Pulling image "${image}"`);
    expect(said("Failed", "Error: ImagePullBackOff")).toBe("Error: ImagePullBackOff");
  });

  test("of anything else is redacted, in one line, and cut", () => {
    expect(said("FailedMount", `MountVolume.SetUp failed:\n  password=verysecret  at //ada:verysecret@host`)).toBe(
      "MountVolume.SetUp failed: password=*** at //***@host",
    );
    expect(said("FailedMount", "failed for\n  https://ada:verysecret@files.example/x")).toBe(
      "failed for https://***@files.example/x",
    );
    expect(said("FailedMount", `token ${token}`)).toBe("token ***");
    expect(said("Other", "x".repeat(10_000))).toHaveLength(501);
  });
});
