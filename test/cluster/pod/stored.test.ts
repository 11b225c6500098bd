// Every default of a pod, on the object that the API server stored in a namespace that admits nothing but "restricted", and what of it the agent sees.
import { podTemplate } from "@moorage/kubernetes";
import { afterEach, expect, test } from "vitest";
import type { Scene } from "../scene.ts";
import { thisCluster } from "../this-cluster.ts";
import { until } from "../up/run.ts";
import { logOf, openRestrictedScene, storedPod } from "./restricted-scene.ts";

const { image } = thisCluster();
let scene: Scene;

afterEach(() => scene.end());

/** What it is and may do, and whether it can write where it is. */
const shows = [
  "pwd; echo $HOME; cat /proc/self/status",
  ": > here && echo writable",
  "[ -e /var/run/secrets ] || echo no token",
  "env; echo all",
].join("; ");

function declared(more: Partial<Parameters<typeof podTemplate>[0]> = {}): ReturnType<typeof podTemplate> {
  return podTemplate({
    name: "scribe",
    fleet: "writers",
    image,
    command: ["/bin/sh", "-c", `${shows}; trap 'exit 0' TERM; sleep 100000 & wait`],
    env: { PLAIN: "$(HOME) stays" },
    secretKeys: ["API_KEY"],
    ...more,
  });
}

test("a pod with nothing but its defaults is admitted, and each of them is stored", async () => {
  scene = await openRestrictedScene({ declared: declared() });
  expect(await scene.start()).toMatchObject({ outcome: "started" });
  const { metadata, spec } = await storedPod(scene);
  expect(spec).toMatchObject({
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
        envFrom: [{ secretRef: { name: expect.stringMatching(`^${scene.name}-[0-9a-f]{16}$`) } }],
        resources: { requests: { cpu: "100m", memory: "256Mi" }, limits: { memory: "1Gi" } },
        securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
      },
    ],
  });
  // These lists hold exactly that: no token, no path of the host, no second container.
  expect(spec.volumes).toEqual([{ name: "workspace", emptyDir: {} }]);
  expect(spec.containers).toHaveLength(1);
  expect(spec.containers[0]["volumeMounts"]).toEqual([{ name: "workspace", mountPath: "/workspace" }]);
  for (const key of ["hostNetwork", "hostPID", "hostIPC", "initContainers", "activeDeadlineSeconds", "nodeSelector"])
    expect(spec).not.toHaveProperty(key);
  for (const key of ["privileged", "ports", "livenessProbe"]) expect(spec.containers[0]).not.toHaveProperty(key);
  expect(metadata).not.toHaveProperty("ownerReferences");
  expect(metadata.labels).toMatchObject({
    "app.kubernetes.io/name": "scribe",
    "app.kubernetes.io/part-of": "writers",
    "app.kubernetes.io/managed-by": "moorage",
    "moorage.dev/agent": scene.identity.slice(0, 32),
  });
  expect(metadata.annotations).toMatchObject({
    "moorage.dev/identity": scene.identity,
    "moorage.dev/create-intent": expect.stringMatching(/^m1:[0-9a-f]{64}$/),
    "moorage.dev/name": "scribe",
    "moorage.dev/image": image,
    "cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
    "karpenter.sh/do-not-disrupt": "true",
  });
});

test("the agent has no privilege and no token, its workspace is its own, and its values are what was declared", async () => {
  scene = await openRestrictedScene({ declared: declared() });
  const service = { apiVersion: "v1", kind: "Service", metadata: { name: "other" }, spec: { ports: [{ port: 80 }] } };
  expect(await scene.api.send("POST", scene.namespace.path("services"), service)).toMatchObject({ status: 201 });
  await scene.start();
  let log = "";
  await until("it has said all", async () => {
    log = await logOf(scene);
    return log.includes("\nall\n");
  });
  expect(log.split("\n").slice(0, 2)).toEqual(["/workspace", "/workspace"]);
  for (const line of [/^Uid:(\s+10001){4}$/m, /^Gid:(\s+10001){4}$/m, /^CapEff:\s+0+$/m, /^NoNewPrivs:\s+1$/m])
    expect(log).toMatch(line);
  expect(log).toMatch(/^Seccomp:\s+2$/m);
  for (const line of ["writable", "no token", "PLAIN=$(HOME) stays", "API_KEY=not-a-real-value", "HOME=/workspace"])
    expect(log).toContain(`\n${line}\n`);
  expect(log).not.toContain("OTHER_SERVICE_HOST");
});

test("the Secret of its attempt cannot be changed, and a named service account brings no token along", async () => {
  scene = await openRestrictedScene({ declared: declared({ serviceAccount: "worker" }) });
  const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "worker" } };
  expect(await scene.api.send("POST", scene.namespace.path("serviceaccounts"), account)).toMatchObject({ status: 201 });
  const { attempt } = await scene.start();
  const { spec } = await storedPod(scene);
  expect(spec).toMatchObject({ serviceAccountName: "worker", automountServiceAccountToken: false });
  expect(spec.volumes).toHaveLength(1);
  const path = scene.namespace.path("secrets", `${scene.name}-${attempt}`);
  const { object: secret } = await scene.api.send("GET", path);
  expect(secret).toMatchObject({ immutable: true, type: "Opaque" });
  const changed = { ...(secret as object), data: { API_KEY: "b3RoZXI=" } };
  expect(await scene.api.send("PUT", path, changed)).toMatchObject({ status: 422 });
});

test("a namespace that admits only restricted pods does admit only those", async () => {
  scene = await openRestrictedScene();
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "other" },
    spec: { containers: [{ name: "other", image }] },
  };
  expect(await scene.api.send("POST", scene.namespace.path("pods"), pod)).toMatchObject({ status: 403 });
});
