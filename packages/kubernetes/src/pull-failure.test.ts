import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { diagnosePull } from "./pull-failure.ts";
import { withoutNames } from "./pull-text.ts";

interface Recorded {
  readonly reason: string;
  readonly message: string;
  readonly verdict: string;
}

interface Case {
  readonly reason: string;
  readonly message: string;
  readonly expected: readonly string[];
}

function read<T>(path: string): readonly T[] {
  return JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8")) as readonly T[];
}

const cases = read<Case>("../../../test/cases/pull-messages.json");
const recorded = read<Recorded>("./recorded/pull-messages.json");
const all: readonly Case[] = [...cases, ...recorded.map((one) => ({ ...one, expected: [one.verdict] }))];

describe("diagnosePull", () => {
  it.each(recorded)("$verdict: $reason $message", ({ reason, message, verdict }) => {
    expect(diagnosePull(reason, message).verdict).toBe(verdict);
  });

  it("is right about the collected messages, and takes nothing that may pass for permanent", () => {
    const wrong = cases.filter(
      ({ reason, message, expected }) => !expected.includes(diagnosePull(reason, message).verdict),
    );
    expect(wrong.filter(({ expected }) => expected.includes("recoverable"))).toEqual([]);
    expect(wrong.length / cases.length).toBeLessThanOrEqual(0.03);
  });

  it("knows all verdicts and all reasons that it was shown", () => {
    expect(new Set(all.flatMap(({ expected }) => expected)).size).toBe(10);
  });

  it("takes a reason at its word where the kubelet has decided", () => {
    expect(diagnosePull("InvalidImageName", "whatever").verdict).toBe("invalid-image-name");
    expect(diagnosePull("ErrImageNeverPull", "").verdict).toBe("never-pull");
    expect(diagnosePull("RegistryUnavailable", "unauthorized").verdict).toBe("recoverable");
    expect(diagnosePull("constructor", "unauthorized: authentication required").verdict).toBe("unauthorized");
  });

  it("says nothing of a pull under the reason of another step", () => {
    for (const reason of ["CreateContainerError", "RunContainerError", "FailedCreatePodSandBox", "CrashLoopBackOff"])
      expect(diagnosePull(reason, "unauthorized: authentication required").verdict).toBe("recoverable");
  });

  it("reads an older kubelet's back-off as no information, whatever the image is called", () => {
    for (const image of ["denied", "not-found", "acme/unauthorized:401", "manifest-unknown"])
      expect(diagnosePull("ImagePullBackOff", `Back-off pulling image "${image}"`)).toEqual({
        verdict: "recoverable",
        cause: "no-information",
      });
  });

  it("tells what a cause rests on", () => {
    expect(diagnosePull("ErrImagePull", "pull QPS exceeded").cause).toBe("transient:node-throttle");
    expect(diagnosePull("ErrImagePull", "no such host").cause).toBe("transient:dns");
    expect(diagnosePull("ErrImagePull", "denied: Your authorization token has expired.").cause).toBe(
      "unauthorized:expired-token",
    );
    expect(diagnosePull("ErrImagePull", "something new").cause).toBe("unrecognised");
  });

  it("does not read the page that a message brings along", () => {
    const page = "<!DOCTYPE html><html><p>503 Service Unavailable, timeout, unauthorized. Try again later.</p></html>";
    const absent = `reading manifest 1 in quay.io/acme/app: error parsing HTTP 404 response body: ${JSON.stringify(page)}`;
    expect(diagnosePull("ErrImagePull", absent).verdict).toBe("manifest-unknown");
    expect(diagnosePull("ErrImagePull", `invalid character '<': ${page}`).verdict).toBe("recoverable");
    expect(diagnosePull("ErrImagePull", `${page}: unexpected EOF`).verdict).toBe("recoverable");
  });

  it("wants all elements of an aggregate to agree", () => {
    const refused = "rpc error: code = Unknown desc = unauthorized: authentication required";
    const absent = "rpc error: code = NotFound desc = manifest unknown";
    const passing = "rpc error: code = Unknown desc = unexpected EOF";
    expect(diagnosePull("ErrImagePull", `[${refused}, ${refused}]`).verdict).toBe("unauthorized");
    expect(diagnosePull("ErrImagePull", `[${refused}, ${absent}]`).verdict).toBe("denied-or-absent");
    expect(diagnosePull("ErrImagePull", `[${refused}, ${passing}]`).verdict).toBe("recoverable");
  });
});

describe("withoutNames", () => {
  it.each([
    ["reading manifest 401 in quay.io/acme/denied: EOF", "reading manifest <ref> in <ref>: eof"],
    [
      'failed to resolve reference "a.example/b:1": a.example/b:1: not found',
      "failed to resolve reference <ref>: <ref>: not found",
    ],
    ["Get https://a.example/v2/x/manifests/1: EOF", "get <manifest-url>: eof"],
    ['Get \\"https://auth.example/token?scope=x\\": EOF', "get <token-url>: eof"],
    ["read tcp 10.0.0.1:404->10.0.0.2:403: i/o timeout", "read tcp <ref>><ref>: i/o timeout"],
    [`10.0.0.1:32000/app-20260101@sha256:${"0".repeat(64)}: not found`, "<ref>: not found"],
    ["a.example/app-0123456789abcdef:denied: EOF", "<ref>: eof"],
    ["open /var/lib/denied: permission denied", "open <path>: permission denied"],
  ])("%s", (message, expected) => {
    expect(withoutNames(message)).toBe(expected);
  });
});

it("a registry with a port of five digits is a name as any other", () => {
  const reference = `10.0.0.1:32000/agent@sha256:${"0".repeat(64)}`;
  const message = `rpc error: code = NotFound desc = failed to pull and unpack image "${reference}": failed to resolve reference "${reference}": ${reference}: not found`;
  expect(diagnosePull("ErrImagePull", message).verdict).toBe("manifest-unknown");
});

describe("a message of 100 kB", () => {
  const pieces = [
    "a",
    "/",
    "<",
    '"',
    "https://",
    "lookup ",
    "manifest ",
    'image "',
    "status ",
    "\\",
    "[",
    " ",
    "\n* ",
    "sha256:",
    "a/b:c ",
    "<html>",
    "snapshot ",
    "denied for ",
  ];

  it.each(pieces)("made of %j is read to its end, which no squared time would reach here", (piece) => {
    const message = piece.repeat(Math.ceil(100_000 / piece.length));
    expect(diagnosePull("ErrImagePull", message).verdict).toBeDefined();
    expect(diagnosePull("ErrImagePull", `[${message}`).verdict).toBeDefined();
  });
});
