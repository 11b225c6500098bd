import { type InstanceSpec, instanceMarks, nameIdentity, secretMarks } from "@moorage/core";
import { describe, expect, it } from "vitest";
import { decodePod, decodeSecret } from "./decode.ts";
import type { Fields } from "./json-fields.ts";
import { type PodDeclaration, podTemplate } from "./pod-defaults.ts";
import { mooragePods } from "./pod-profile.ts";
import { podOf, secretOf } from "./pod-template.ts";

const identity = nameIdentity("scribe", { text: () => "ab".repeat(32), canonical: () => "" });
const image = `registry.example/scribe@sha256:${"a".repeat(64)}`;
const secret = "moorage-abababababab-0123456789abcdef";

const declared: PodDeclaration = { name: "scribe", fleet: "writers", image, env: {}, secretKeys: [] };

interface Sent {
  readonly metadata: { readonly labels: Fields; readonly annotations: Fields };
  readonly spec: Fields & { readonly containers: readonly (Fields & { readonly env: readonly Fields[] })[] };
}

function sent(changes: Partial<PodDeclaration> = {}): Sent {
  const template = podTemplate({ ...declared, ...changes });
  const marks = instanceMarks(mooragePods, identity, `m1:${"c".repeat(64)}`, { name: "scribe", image });
  const spec: InstanceSpec = { name: "moorage-abababababab", secret, template, ...marks };
  return podOf(spec, template, mooragePods, "agents") as unknown as Sent;
}

function variables(pod: Sent): Readonly<Record<string, unknown>> {
  return Object.fromEntries((pod.spec.containers[0]?.env ?? []).map(({ name, value }) => [name, value]));
}

describe("the pod of an instance", () => {
  it("has every default, and nothing else", () => {
    expect(sent().spec).toEqual({
      restartPolicy: "Never",
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      terminationGracePeriodSeconds: 60,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: 10_001,
        runAsGroup: 10_001,
        fsGroup: 10_001,
        fsGroupChangePolicy: "OnRootMismatch",
        seccompProfile: { type: "RuntimeDefault" },
      },
      containers: [
        {
          name: "agent",
          image,
          imagePullPolicy: "IfNotPresent",
          workingDir: "/workspace",
          env: [
            { name: "HOME", value: "/workspace" },
            { name: "MOORAGE_AGENT", value: "scribe" },
            { name: "MOORAGE_ATTEMPT", value: "0123456789abcdef" },
            { name: "MOORAGE_INSTANCE", value: "moorage-abababababab" },
            { name: "MOORAGE_WORKSPACE", value: "/workspace" },
          ],
          envFrom: [{ secretRef: { name: secret } }],
          resources: { requests: { cpu: "100m", memory: "256Mi" }, limits: { memory: "1Gi" } },
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
          volumeMounts: [{ name: "workspace", mountPath: "/workspace" }],
        },
      ],
      volumes: [{ name: "workspace", emptyDir: {} }],
    });
  });

  it("carries the marks, the recommended labels, and asks not to be moved about", () => {
    const { labels, annotations } = sent().metadata;
    expect(labels).toMatchObject({
      "app.kubernetes.io/managed-by": "moorage",
      "moorage.dev/binding-version": "1",
      "moorage.dev/agent": "ab".repeat(16),
      "app.kubernetes.io/name": "scribe",
      "app.kubernetes.io/part-of": "writers",
    });
    expect(annotations).toMatchObject({
      "moorage.dev/identity": "ab".repeat(32),
      "moorage.dev/create-intent": `m1:${"c".repeat(64)}`,
      "cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
      "karpenter.sh/do-not-disrupt": "true",
    });
  });

  it.each<[string, Partial<PodDeclaration>]>([
    ["a secret variable", { secretKeys: ["HOME"] }],
    ["the identity key", { identityKey: { as: "HOME" } }],
  ])("leaves HOME to the Secret where it is %s", (_what, changes) => {
    expect(variables(sent(changes))).not.toHaveProperty("HOME");
  });

  it("has no privilege, no host namespace, no path of the host and no second container", () => {
    const text = JSON.stringify(sent({ serviceAccount: "a", workspace: { claim: "c" } }));
    for (const word of [
      "privileged",
      "hostNetwork",
      "hostPID",
      "hostIPC",
      "hostPath",
      "hostPort",
      "initContainers",
      "ownerReferences",
    ])
      expect(text).not.toContain(word);
    expect(sent().spec.containers).toHaveLength(1);
  });

  it("takes what is declared", () => {
    const pod = sent({
      command: ["node"],
      args: ["agent.js"],
      graceMs: 90_500,
      resources: {
        requests: { cpu: "1", "ephemeral-storage": "1Gi" },
        limits: { memory: "2Gi", "ephemeral-storage": "2Gi" },
      },
      workspace: { sizeLimit: "5Gi" },
      nodeSelector: { disk: "fast" },
      tolerations: [{ key: "gpu", operator: "Exists", effect: "NoSchedule" }],
      serviceAccount: "scribe",
      imagePullSecrets: ["registry"],
      runtimeClass: "gvisor",
      activeDeadlineMs: 3_600_000,
    });
    expect(pod.spec).toMatchObject({
      terminationGracePeriodSeconds: 91,
      nodeSelector: { disk: "fast" },
      tolerations: [{ key: "gpu", operator: "Exists", effect: "NoSchedule" }],
      serviceAccountName: "scribe",
      automountServiceAccountToken: false,
      imagePullSecrets: [{ name: "registry" }],
      runtimeClassName: "gvisor",
      activeDeadlineSeconds: 3_600,
      volumes: [{ name: "workspace", emptyDir: { sizeLimit: "5Gi" } }],
    });
    expect(pod.spec.containers[0]).toMatchObject({
      command: ["node"],
      args: ["agent.js"],
      resources: {
        requests: { cpu: "1", memory: "256Mi", "ephemeral-storage": "1Gi" },
        limits: { memory: "2Gi", "ephemeral-storage": "2Gi" },
      },
    });
    expect(sent({ workspace: { claim: "data" } }).spec["volumes"]).toEqual([
      { name: "workspace", persistentVolumeClaim: { claimName: "data" } },
    ]);
  });

  it("never has a grace of 0, which would be a kill", () => {
    expect(sent({ graceMs: 0 }).spec["terminationGracePeriodSeconds"]).toBe(1);
  });

  it("looks again for what a tag may have become", () => {
    expect(sent({ image: "registry.example/scribe:1" }).spec.containers[0]?.["imagePullPolicy"]).toBe("Always");
  });

  it("leaves the entrypoint to a harness, and tells it the rest", () => {
    const harness = {
      command: ["node", "agent.js"],
      drainMs: 30_000,
      idleMs: 7_200_000,
      health: { kind: "socket" },
    } as const;
    const pod = sent({ harness, command: ["node"], args: ["agent.js"] });
    expect(Object.keys(pod.spec.containers[0] ?? {})).not.toEqual(expect.arrayContaining(["command"]));
    expect(Object.keys(pod.spec.containers[0] ?? {})).not.toEqual(expect.arrayContaining(["args"]));
    expect(variables(pod)).toMatchObject({
      MOORAGE_COMMAND: '["node","agent.js"]',
      MOORAGE_DRAIN_MS: "30000",
      MOORAGE_GRACE_MS: "60000",
      MOORAGE_IDLE_MS: "7200000",
      MOORAGE_HEALTH: '{"kind":"socket"}',
    });
    expect(variables(sent({ harness: { ...harness, idleMs: null } }))).not.toHaveProperty("MOORAGE_IDLE_MS");
  });

  it("hands every value on as it is, and lets nobody declare what is ours", () => {
    expect(sent({ command: ["sh", "$(x)"] }).spec.containers[0]?.["command"]).toEqual(["sh", "$$(x)"]);
    expect(sent({ args: ["$(HOME)", "$$"] }).spec.containers[0]?.["args"]).toEqual(["$$(HOME)", "$$$$"]);
    const env = { HOME: "/elsewhere", TEXT: "a $(HOME) $$(x) $y", MOORAGE_INSTANCE: "forged" };
    expect(variables(sent({ env }))).toMatchObject({
      HOME: "/elsewhere",
      TEXT: "a $$(HOME) $$$$(x) $$y",
      MOORAGE_INSTANCE: "moorage-abababababab",
    });
  });

  it("decodes again to the attempt whose Secret it references", () => {
    const pod = sent() as unknown as Fields;
    const stored = { ...pod, metadata: { ...(pod["metadata"] as object), uid: "u", resourceVersion: "1" } };
    expect(decodePod(stored, mooragePods)).toMatchObject({
      name: "moorage-abababababab",
      attempt: "0123456789abcdef",
    });
  });
});

describe("the Secret of an attempt", () => {
  it("is immutable, and holds its values in its data alone", () => {
    const marks = secretMarks(mooragePods, identity, 600);
    const object = secretOf({ name: secret, data: new Map([["API_KEY", "planted"]]), ...marks }, "agents");
    expect(object).toMatchObject({
      kind: "Secret",
      type: "Opaque",
      immutable: true,
      stringData: { API_KEY: "planted" },
    });
    expect(JSON.stringify(object["metadata"])).not.toContain("planted");
    const stored = { ...object, metadata: { ...(object["metadata"] as object), uid: "u", resourceVersion: "1" } };
    expect(JSON.stringify(decodeSecret(stored))).not.toContain("planted");
  });
});
