import { describe, expect, it } from "vitest";
import type { Refusal } from "./refusal.ts";
import { mayHeal, refusalCondition } from "./refusal.ts";

const all: { readonly [K in Refusal["kind"]]: Extract<Refusal, { kind: K }> } = {
  quotaExceeded: { kind: "quotaExceeded", quota: "pods", detail: "used 5 of 5" },
  admissionDenied: { kind: "admissionDenied", by: "policy.example", detail: "no root" },
  scopeTerminating: { kind: "scopeTerminating", scope: "agents" },
  scopeAbsent: { kind: "scopeAbsent", scope: "agents", command: "kubectl create namespace agents" },
  forbidden: { kind: "forbidden", verb: "create", resource: "pods", detail: "user bob" },
  unauthenticated: { kind: "unauthenticated", target: "the cluster" },
  invalid: { kind: "invalid", detail: "spec.x" },
  unreachable: { kind: "unreachable", target: "the cluster", detail: "refused" },
  leftoversRemain: { kind: "leftoversRemain", processes: [{ pid: 42, command: "worker" }] },
  otherScope: { kind: "otherScope", scope: "/srv/state" },
  nameTaken: { kind: "nameTaken", by: "moorage-0123456789ab" },
  cannotTell: { kind: "cannotTell", detail: "another machine wrote it" },
  unknown: { kind: "unknown", detail: "no reason given" },
};

describe("refusals", () => {
  it.each(Object.values(all))("$kind has a text of its own and says what helps", (refusal) => {
    const condition = refusalCondition(refusal, "scribe");
    expect(condition.message.length).toBeGreaterThan(10);
    expect(condition.hint.length).toBeGreaterThan(10);
  });

  it("have codes that differ", () => {
    expect(new Set(Object.values(all).map((refusal) => refusalCondition(refusal, "x").code)).size).toBe(
      Object.keys(all).length,
    );
  });

  it("only a quota may heal while a start waits: an unknown refusal stops", () => {
    expect(
      Object.values(all)
        .filter(mayHeal)
        .map(({ kind }) => kind),
    ).toEqual(["quotaExceeded"]);
  });

  it("name what stands in the way and the command to run", () => {
    expect(refusalCondition(all.leftoversRemain, "scribe")).toMatchObject({
      message: expect.stringContaining("42 (worker)"),
      hint: expect.stringContaining("kill 42"),
    });
    expect(refusalCondition(all.scopeAbsent, "scribe").hint).toContain("kubectl create namespace agents");
    expect(refusalCondition(all.forbidden, "scribe").message).toContain("create pods");
  });
});
