import { readFileSync } from "node:fs";
import { mayHeal, type Refusal, refusalCondition } from "@moorage/core";
import { describe, expect, it } from "vitest";
import type { Fields } from "./json-fields.ts";
import { refusalOf } from "./refusal-of.ts";

interface Answer {
  readonly name: string;
  readonly asked: { readonly verb: string; readonly resource: string; readonly namespace: string };
  readonly status: number;
  readonly body: Fields;
}

/** Answers of a real API server, 1.35. */
const answers = JSON.parse(
  readFileSync(new URL("./recorded/refusals.json", import.meta.url), "utf8"),
) as readonly Answer[];

function refusal(name: string): Refusal {
  const answer = answers.find((one) => one.name === name);
  if (answer === undefined) throw new Error(`no answer was recorded for ${name}`);
  return refusalOf(answer.status, answer.body, { ...answer.asked, server: "https://cluster.example" });
}

const noRight = (verb: string, resource: string) => ({
  kind: "forbidden",
  verb,
  resource,
  detail: "the user nobody has no such right in the namespace test-plain",
});

describe("refusalOf", () => {
  it.each<[string, object]>([
    [
      "quota exceeded",
      {
        kind: "quotaExceeded",
        quota: "compute",
        detail:
          "requested: limits.memory=1Gi,pods=1,requests.cpu=100m, used: limits.memory=1Gi,pods=1,requests.cpu=100m, limited: limits.memory=1Gi,pods=1,requests.cpu=150m",
      },
    ],
    [
      "quota of secrets",
      { kind: "quotaExceeded", quota: "compute", detail: "requested: secrets=1, used: secrets=1, limited: secrets=1" },
    ],
    [
      "quota must specify",
      { kind: "admissionDenied", by: "the quota zero-cpu", detail: "must specify limits.cpu for: agent" },
    ],
    ["limit range", { kind: "admissionDenied", by: "the limit range of the namespace" }],
    ["limit range ratio", { kind: "admissionDenied", by: "the limit range of the namespace" }],
    ["pod security restricted", { kind: "admissionDenied", by: 'Pod Security "restricted:latest"' }],
    ["rbac create pods", noRight("create", "pods")],
    ["rbac create secrets", noRight("create", "secrets")],
    ["rbac list pods", noRight("list", "pods")],
    ["rbac get secrets", noRight("get", "secrets")],
    ["rbac delete pods", noRight("delete", "pods")],
    ["rbac watch pods", noRight("watch", "pods")],
    [
      "rbac create namespaces",
      { kind: "scopeAbsent", scope: "the namespace test-plain", command: "kubectl create namespace test-plain" },
    ],
    ["bad token", { kind: "unauthenticated", target: "https://cluster.example" }],
    [
      "service account missing",
      { kind: "invalid", detail: "the service account nobody-here does not exist in the namespace test-plain" },
    ],
    ["runtime class missing", { kind: "invalid", detail: "the runtime class gvisor does not exist" }],
    ["priority class missing", { kind: "invalid", detail: "the priority class urgent does not exist" }],
    ["namespace terminating", { kind: "scopeTerminating", scope: "the namespace test-gone" }],
    ["namespace terminating secret", { kind: "scopeTerminating", scope: "the namespace test-gone" }],
    [
      "invalid requests over limits",
      {
        kind: "invalid",
        detail:
          'spec.containers[0].resources.requests: Invalid value: "2Gi": must be less than or equal to memory limit of 1Gi',
      },
    ],
    ["invalid quantity", { kind: "invalid" }],
    ["secret too large", { kind: "invalid", detail: "data: Too long: may not be more than 1048576 bytes" }],
    [
      "admission policy",
      { kind: "admissionDenied", by: "the admission policy test-policy.example.com", detail: "names begin with ok-" },
    ],
    [
      "admission policy forbidden",
      { kind: "admissionDenied", by: "the admission policy test-policy.example.com", detail: "no" },
    ],
    [
      "webhook plain",
      {
        kind: "admissionDenied",
        by: "the webhook policy.example.com",
        detail: "images come from registry.example.com alone",
      },
    ],
    [
      "webhook code",
      {
        kind: "admissionDenied",
        by: "the webhook policy.example.com",
        detail: "images come from registry.example.com alone",
      },
    ],
    ["webhook bare", { kind: "admissionDenied", by: "the webhook policy.example.com", detail: "it gives no reason" }],
    ["webhook kyv", { kind: "admissionDenied", by: "the webhook policy.example.com" }],
  ])("%s", (name, expected) => {
    expect(refusal(name)).toMatchObject(expected);
  });

  it("does not take a webhook's words for a quota that may heal", () => {
    const told = refusal("webhook quota");
    expect(told.kind).toBe("admissionDenied");
    expect(mayHeal(told)).toBe(false);
  });

  it("names every field that is wrong", () => {
    const { detail } = refusal("invalid") as Extract<Refusal, { kind: "invalid" }>;
    expect(detail).toMatch(/^metadata\.name: Invalid value.*; spec\.restartPolicy: Unsupported value/);
  });

  it("knows a namespace that is ending without its cause, as older servers say it", () => {
    const message =
      'pods "a" is forbidden: unable to create new content in namespace agents because it is being terminated';
    expect(
      refusalOf(
        403,
        { reason: "Forbidden", message },
        { verb: "create", resource: "pods", namespace: "agents", server: "s" },
      ),
    ).toEqual({
      kind: "scopeTerminating",
      scope: "the namespace agents",
    });
  });

  it("stops at a 403 that nobody has classified, and at what is no Status at all", () => {
    const asked = { verb: "create", resource: "pods", namespace: "agents", server: "s" };
    const message = 'pods "a" is forbidden: the moon is not full; exceeded quota: x, requested: y';
    const told = refusalOf(403, { reason: "Forbidden", message }, asked);
    expect(told).toEqual({ kind: "unknown", detail: message });
    expect(mayHeal(told)).toBe(false);
    expect(refusalOf(418, {}, asked)).toEqual({ kind: "unknown", detail: "HTTP 418" });
    expect(refusalOf(403, { message: "x".repeat(5000) }, asked)).toMatchObject({ kind: "unknown" });
  });

  it("gives each a text of one line and a hint", () => {
    for (const { name, status } of answers) {
      if (status === 404 || status === 409 || status >= 500) continue;
      const condition = refusalCondition(refusal(name), "scribe");
      expect(condition.message).not.toContain("\n");
      expect(condition.message.length).toBeLessThan(1000);
      expect(condition.hint).not.toBe("");
    }
  });
});
