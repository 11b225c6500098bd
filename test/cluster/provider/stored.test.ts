// What a client's deploy stores, whole objects, in a namespace that admits nothing but Pod Security "restricted"; and what the agent sees of it.
import { afterEach, describe, expect, test } from "vitest";
import { enforceRestricted } from "../harness-scene.ts";
import { thisCluster } from "../this-cluster.ts";
import { until } from "../up/run.ts";
import type { KubernetesObject, ProviderScene } from "./provider-scene.ts";
import { obedient, openProviderScene, podName, privateKey, publicKey, untilPod } from "./provider-scene.ts";

const owner = "b".repeat(64);
const allowed = "c".repeat(64);
const labels = {
  "app.kubernetes.io/managed-by": "buzz-backend-kubernetes",
  "buzz.block.xyz/agent-pubkey": publicKey.slice(0, 32),
  "buzz.block.xyz/binding-version": "1",
};

/** Without what a server adds to every object. */
function written({ metadata }: KubernetesObject): unknown {
  const added = ["uid", "resourceVersion", "creationTimestamp", "generation", "managedFields"];
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => !added.includes(key)));
}

describe.skipIf(thisCluster().own === null)("what a deploy through the provider stores", () => {
  let scene: ProviderScene;

  afterEach(() => scene.end());

  async function deployRestricted(changes: Parameters<ProviderScene["deploy"]>[0] = {}) {
    scene = await openProviderScene();
    await enforceRestricted(scene);
    expect(await scene.deploy(changes)).toMatchObject({ exit: 0, answer: { ok: true, agent_id: podName } });
    const [pod, secret] = [await scene.pod(), (await scene.secrets())[0] ?? expect.fail("no Secret")];
    expect(await scene.secrets()).toHaveLength(1);
    return { pod, secret };
  }

  test("the pod is exactly that, and the server's own defaults", async () => {
    const { pod, secret } = await deployRestricted({ config: { cpu_request: "", memory_request: null } });
    expect(written(pod)).toEqual({
      name: podName,
      namespace: scene.namespace.name,
      labels,
      annotations: {
        "buzz.block.xyz/agent-pubkey-full": publicKey,
        "buzz.block.xyz/create-intent": expect.stringMatching(/^m1:[0-9a-f]{64}$/),
        "buzz.block.xyz/image": scene.image,
      },
    });
    const defaults = {
      dnsPolicy: "ClusterFirst",
      nodeName: expect.stringMatching(/^node\d$/),
      preemptionPolicy: "PreemptLowerPriority",
      priority: 0,
      schedulerName: "default-scheduler",
      serviceAccount: "default",
      serviceAccountName: "default",
      tolerations: ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"].map((key) => ({
        key,
        operator: "Exists",
        effect: "NoExecute",
        tolerationSeconds: 300,
      })),
    };
    const { containers, ...spec } = pod.spec;
    expect(spec).toEqual({
      ...defaults,
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
      volumes: [{ name: "workspace", emptyDir: {} }],
    });
    // No command and no arguments: the image's entrypoint is the harness.
    expect(containers).toEqual([
      {
        name: "agent",
        image: scene.image,
        imagePullPolicy: "IfNotPresent",
        terminationMessagePath: "/dev/termination-log",
        terminationMessagePolicy: "File",
        workingDir: "/home/agent",
        env: [{ name: "HOME", value: "/home/agent" }],
        envFrom: [{ secretRef: { name: secret.metadata.name } }],
        resources: { requests: { cpu: "1", memory: "2Gi" }, limits: { cpu: "2", memory: "4Gi" } },
        securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
        volumeMounts: [{ name: "workspace", mountPath: "/home/agent" }],
      },
    ]);
  });

  test("the Secret is exactly the environment, for this attempt alone and never to change", async () => {
    const { secret } = await deployRestricted({
      agent: {
        respond_to: "allowlist",
        respond_to_allowlist: [` ${allowed.toUpperCase()} `],
        env_vars: { LEGACY: "1" },
      },
      env: {
        HOME: "/home/somebody-else",
        BUZZ_MANAGED_AGENT_START_NONCE: "theirs",
        BUZZ_ACP_MCP_SERVERS_FILE: "/tmp/x",
      },
      config: { inactivity_seconds: "600" },
    });
    const nonce = secret.metadata.name.slice(podName.length + 1);
    expect(nonce).toMatch(/^[0-9a-f]{8}$/);
    const { data, ...rest } = secret;
    expect({ ...rest, metadata: written(secret) }).toEqual({
      type: "Opaque",
      immutable: true,
      metadata: {
        name: `${podName}-${nonce}`,
        namespace: scene.namespace.name,
        labels,
        annotations: { "buzz.block.xyz/agent-pubkey-full": publicKey },
      },
    });
    const environment = Object.entries(data).map(([key, value]) => [key, Buffer.from(value, "base64").toString()]);
    expect(Object.fromEntries(environment)).toEqual({
      GOOSE_MODE: "automatic",
      GOOSE_MODEL: "model-of-the-user",
      SCRIPT: obedient,
      BUZZ_RELAY_URL: "wss://relay.example",
      BUZZ_PRIVATE_KEY: privateKey,
      NOSTR_PRIVATE_KEY: privateKey,
      BUZZ_AUTH_TAG: "tag-of-the-owner",
      BUZZ_ACP_AGENT_OWNER: owner,
      BUZZ_ACP_AGENT_COMMAND: "goose",
      BUZZ_ACP_AGENT_ARGS: "acp,--quiet",
      BUZZ_ACP_RESPOND_TO: "allowlist",
      BUZZ_ACP_RESPOND_TO_ALLOWLIST: allowed,
      BUZZ_ACP_MCP_COMMAND: "buzz-dev-mcp",
      BUZZ_ACP_EXIT_AFTER_INACTIVITY: "600",
      BUZZ_MANAGED_AGENT_START_NONCE: nonce,
    });
    const path = scene.namespace.path("secrets", secret.metadata.name);
    const { object } = await scene.api.send("GET", path);
    const changed = { ...(object as object), data: { SCRIPT: "b3RoZXI=" } };
    expect(await scene.api.send("PUT", path, changed)).toMatchObject({ status: 422 });
  });

  test("the agent is process 1 as user 10001 in a home of its own, with its values as they were sent and without a token", async () => {
    const shows = "pwd; echo $$; env; : > here && echo writable; [ -e /var/run/secrets ] || echo no token";
    const plain = "$(HOME) and $$ and\nanother line";
    await deployRestricted({
      script: `${shows}; cat /proc/self/status; echo all; ${obedient}`,
      env: { PLAIN: plain, HOME: "/home/somebody-else" },
    });
    let log = "";
    await until("it has said all", async () => {
      log = await scene.api.text(`${scene.namespace.path("pods", podName)}/log`);
      return log.includes("\nall\n");
    });
    expect(log.split("\n").slice(0, 2)).toEqual(["/home/agent", "1"]);
    for (const line of ["HOME=/home/agent", `PLAIN=${plain}`, "writable", "no token"])
      expect(log).toContain(`\n${line}\n`);
    for (const line of [/^Uid:(\s+10001){4}$/m, /^Gid:(\s+10001){4}$/m, /^CapEff:\s+0+$/m, /^NoNewPrivs:\s+1$/m])
      expect(log).toMatch(line);
    expect(log).not.toMatch(/^MOORAGE_/m);
  });

  test("what the person has set for the pod reaches it", async () => {
    scene = await openProviderScene();
    const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "worker" } };
    expect(await scene.api.send("POST", scene.namespace.path("serviceaccounts"), account)).toMatchObject({
      status: 201,
    });
    const taint = { key: "dedicated", operator: "Equal", value: "agents", effect: "NoSchedule" };
    // Whether a node has such space is another matter.
    scene.begin({
      config: {
        cpu_request: "20m",
        memory_request: "24Mi",
        cpu_limit: "200m",
        memory_limit: "64Mi",
        service_account: "worker",
        pod_options: {
          node_selector: { "kubernetes.io/os": "linux" },
          tolerations: [taint],
          workspace_size_limit: "10Mi",
          ephemeral_storage_request: "1Mi",
          ephemeral_storage_limit: "20Mi",
          active_deadline_seconds: 600,
        },
      },
    });
    await untilPod(scene, "is there", () => true);
    const { spec } = await scene.pod();
    expect(spec).toMatchObject({
      nodeSelector: { "kubernetes.io/os": "linux" },
      tolerations: expect.arrayContaining([taint]),
      volumes: [{ name: "workspace", emptyDir: { sizeLimit: "10Mi" } }],
      activeDeadlineSeconds: 600,
      serviceAccountName: "worker",
      automountServiceAccountToken: false,
    });
    expect(spec.containers[0]["resources"]).toEqual({
      requests: { cpu: "20m", memory: "24Mi", "ephemeral-storage": "1Mi" },
      limits: { cpu: "200m", memory: "64Mi", "ephemeral-storage": "20Mi" },
    });
  });
});
