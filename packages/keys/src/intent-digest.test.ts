// What an instance was created from is recorded for as long as it lives: a newer version must come to the same digest.
import { intentDigest, type PodTemplate, type ProcessTemplate } from "@moorage/core";
import { expect, test } from "vitest";
import { sha256 } from "./digest.ts";

const processTemplate: ProcessTemplate = {
  kind: "process",
  command: ["node", "agent.ts"],
  directory: "/srv/scribe",
  buildId: "b".repeat(64),
  env: { LOG_LEVEL: "info" },
  secretKeys: ["OTHER", "API_KEY"],
  drainMs: 30_000,
  graceMs: 60_000,
  idleMs: null,
  health: { kind: "none" },
  catalog: null,
  identityKey: null,
};

const podTemplate: PodTemplate = {
  kind: "pod",
  name: "scribe",
  fleet: "writers",
  image: `registry.example/scribe@sha256:${"a".repeat(64)}`,
  command: [],
  args: [],
  harness: null,
  env: { LOG_LEVEL: "info" },
  secretKeys: ["OTHER", "API_KEY"],
  graceMs: 60_000,
  resources: { requests: { cpu: "100m", memory: "256Mi" }, limits: { memory: "1Gi" } },
  workspace: { kind: "temporary", sizeLimit: null },
  nodeSelector: {},
  tolerations: [],
  serviceAccount: null,
  imagePullSecrets: [],
  runtimeClass: null,
  activeDeadlineMs: null,
  identityKey: null,
};

test("the digest of a process stays what it was", () => {
  expect(intentDigest(processTemplate, sha256)).toBe(
    "m1:128f5a598bc9a64863c18a7672a1cdd93c8ccbb81b9f6ac421756a4cd5d42493",
  );
});

test("the digest of a pod stays what it was", () => {
  expect(intentDigest(podTemplate, sha256)).toBe("m1:12a5e0a6519e92f4469e338d80cda755e5c4b96883105764f6e083370faacea8");
});

test("a field that is unset and was not there yet changes no digest", () => {
  const later = { ...podTemplate, added: null, other: undefined } as PodTemplate;
  expect(intentDigest(later, sha256)).toBe(intentDigest(podTemplate, sha256));
});

test("every field that would change the pod changes the digest", () => {
  const changes: readonly Partial<PodTemplate>[] = [
    { name: "other" },
    { fleet: "other" },
    { image: "registry.example/scribe:2" },
    { command: ["node"] },
    { args: ["x"] },
    { harness: { command: [], drainMs: 1, idleMs: null, health: { kind: "none" } } },
    { env: {} },
    { secretKeys: ["API_KEY"] },
    { graceMs: 1 },
    { resources: { requests: {}, limits: {} } },
    { workspace: { kind: "claim", claim: "data" } },
    { nodeSelector: { a: "b" } },
    { tolerations: [{ operator: "Exists" }] },
    { serviceAccount: "a" },
    { imagePullSecrets: ["a"] },
    { runtimeClass: "a" },
    { activeDeadlineMs: 1 },
    { networkPolicy: "denyAll" },
    { identityKey: { as: "KEY" } },
  ];
  const digests = changes.map((change) => intentDigest({ ...podTemplate, ...change }, sha256));
  expect(new Set([...digests, intentDigest(podTemplate, sha256)]).size).toBe(changes.length + 1);
});

test.each(["__proto__", "constructor", "toString", "hasOwnProperty"])("a variable may be called %s", (name) => {
  const digestWith = (value: string): string =>
    intentDigest({ ...processTemplate, env: Object.fromEntries([[name, value]]) }, sha256);
  const without = intentDigest({ ...processTemplate, env: {} }, sha256);
  expect(new Set([without, digestWith("one"), digestWith("two")]).size).toBe(3);
});
