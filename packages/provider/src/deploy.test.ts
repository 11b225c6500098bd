import { createAbort } from "@moorage/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { answerDeploy } from "./answer-deploy.ts";
import { ApiServer, ended, type Fate, patience, pulling, running, type StoredObject } from "./api-server.fixture.ts";
import { type Changes, deployRequest, image, publicKey, secretKey } from "./request.fixture.ts";

const pod = `buzz-agent-${publicKey.slice(0, 12)}`;
const labels = {
  "app.kubernetes.io/managed-by": "buzz-backend-kubernetes",
  "buzz.block.xyz/agent-pubkey": publicKey.slice(0, 32),
  "buzz.block.xyz/binding-version": "1",
};
const pubkeyFull = { "buzz.block.xyz/agent-pubkey-full": publicKey };

let server: ApiServer;
let told: string;

beforeEach(async () => {
  server = await ApiServer.start();
  told = "";
});
afterEach(() => server.end());

function deploy(changes: Changes = {}, signal = createAbort().signal) {
  const env = { KUBECONFIG: server.kubeconfig, PATH: "/usr/bin", HOME: "/nowhere" };
  return answerDeploy(deployRequest(changes), { env, signal, tell: (text) => void (told += text) });
}

/** As another implementation of the protocol has made it: the same marks, and an intent in a scheme of its own. */
function theirs(fate: Fate, changes: { labels?: object; annotations?: object } = {}): StoredObject {
  const secret = `${pod}-1234abcd`;
  const annotations = { ...pubkeyFull, "buzz.block.xyz/create-intent": "c".repeat(64), "buzz.block.xyz/image": image };
  return server.putPod(
    {
      apiVersion: "v1",
      kind: "Pod",
      metadata: {
        name: pod,
        labels: { ...labels, ...changes.labels },
        annotations: { ...annotations, ...changes.annotations },
      },
      spec: { containers: [{ name: "agent", image, envFrom: [{ secretRef: { name: secret } }] }] },
    },
    fate,
  );
}

describe("what is sent", () => {
  it("is a Secret and a pod, and nothing but what the contract names", async () => {
    expect(await deploy()).toEqual({ ok: true, agent_id: pod });
    const [secret, sent] = server.sent;
    const attempt = /^buzz-agent-[0-9a-f]{12}-([0-9a-f]{8})$/.exec(secret?.metadata.name ?? "")?.[1] ?? "none";
    expect(secret).toEqual({
      apiVersion: "v1",
      kind: "Secret",
      type: "Opaque",
      immutable: true,
      metadata: { name: `${pod}-${attempt}`, namespace: "buzz-agents-test", labels, annotations: pubkeyFull },
      stringData: {
        GOOSE_MODE: "automatic",
        GOOSE_MODEL: "model-of-the-user",
        BUZZ_RELAY_URL: "wss://relay.example",
        BUZZ_PRIVATE_KEY: secretKey,
        NOSTR_PRIVATE_KEY: secretKey,
        BUZZ_AUTH_TAG: "tag-of-the-owner",
        BUZZ_ACP_AGENT_OWNER: "b".repeat(64),
        BUZZ_ACP_AGENT_COMMAND: "goose",
        BUZZ_ACP_AGENT_ARGS: "acp",
        BUZZ_ACP_MCP_COMMAND: "buzz-dev-mcp",
        BUZZ_ACP_EXIT_AFTER_INACTIVITY: "7200",
        BUZZ_MANAGED_AGENT_START_NONCE: attempt,
      },
    });
    expect(sent).toEqual({
      apiVersion: "v1",
      kind: "Pod",
      metadata: {
        name: pod,
        namespace: "buzz-agents-test",
        labels,
        annotations: {
          ...pubkeyFull,
          "buzz.block.xyz/create-intent": expect.stringMatching(/^m1:[0-9a-f]{64}$/),
          "buzz.block.xyz/image": image,
        },
      },
      spec: {
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
            workingDir: "/home/agent",
            env: [{ name: "HOME", value: "/home/agent" }],
            envFrom: [{ secretRef: { name: `${pod}-${attempt}` } }],
            resources: { requests: { cpu: "1", memory: "2Gi" }, limits: { cpu: "2", memory: "4Gi" } },
            securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
            volumeMounts: [{ name: "workspace", mountPath: "/home/agent" }],
          },
        ],
        volumes: [{ name: "workspace", emptyDir: {} }],
      },
    });
  });

  it("has what the settings ask for", async () => {
    const tolerations = [{ key: "gpu", operator: "Exists" }];
    await deploy({
      config: {
        cpu_request: "250m",
        memory_limit: "8Gi",
        service_account: "agents",
        pod_options: {
          node_selector: { disk: "fast" },
          tolerations,
          workspace_size_limit: "5Gi",
          ephemeral_storage_request: "1Gi",
          ephemeral_storage_limit: "2Gi",
          active_deadline_seconds: 3600,
        },
      },
    });
    expect(server.sent[1]).toMatchObject({
      spec: {
        serviceAccountName: "agents",
        automountServiceAccountToken: false,
        nodeSelector: { disk: "fast" },
        tolerations,
        activeDeadlineSeconds: 3600,
        volumes: [{ emptyDir: { sizeLimit: "5Gi" } }],
        containers: [
          {
            resources: {
              requests: { cpu: "250m", memory: "2Gi", "ephemeral-storage": "1Gi" },
              limits: { cpu: "2", memory: "8Gi", "ephemeral-storage": "2Gi" },
            },
          },
        ],
      },
    });
  });

  it("has the same intent, whatever the client calls the agent and whatever the values of its variables are", async () => {
    const intents = new Set<unknown>();
    for (const changes of [
      {},
      { agent: { name: "other", auth_tag: "another-tag" }, launch: { env: { GOOSE_MODEL: "x" } } },
    ]) {
      await deploy(changes);
      intents.add(server.sent.at(-1)?.metadata.annotations?.["buzz.block.xyz/create-intent"]);
      server.pods.clear();
      await deploy({ ...changes, config: { cpu_request: "2" } });
      intents.add(server.sent.at(-1)?.metadata.annotations?.["buzz.block.xyz/create-intent"]);
      server.pods.clear();
    }
    expect(intents.size).toBe(2);
  });

  it("has another intent with another variable, image, size or place", async () => {
    const intents = new Set<unknown>();
    const all: readonly Changes[] = [
      {},
      { launch: { env: { GOOSE_MODEL: "m", ANOTHER: "1" } } },
      { agent: { auth_tag: null } },
      { config: { image: image.replace(/a{64}$/, "b".repeat(64)) } },
      { config: { memory_limit: "5Gi" } },
      { config: { pod_options: { node_selector: { disk: "fast" } } } },
    ];
    for (const changes of all) {
      await deploy(changes);
      intents.add(server.sent.at(-1)?.metadata.annotations?.["buzz.block.xyz/create-intent"]);
      server.pods.clear();
    }
    expect(intents.size).toBe(all.length);
  });
});

describe("how often it asks", () => {
  it("six times for a fresh start", async () => {
    await deploy();
    expect(server.asked).toEqual(["GET pods", "GET secrets", "POST secrets", "POST pods", "GET pods", "WATCH pods"]);
  });

  it("once for an agent that runs, and changes nothing", async () => {
    await deploy();
    server.asked.length = 0;
    const before = JSON.stringify([...server.pods, ...server.secrets]);
    expect(await deploy({ config: { cpu_request: "2" }, launch: { env: {} } })).toEqual({ ok: true, agent_id: pod });
    expect(server.asked).toEqual(["GET pods"]);
    expect(JSON.stringify([...server.pods, ...server.secrets])).toBe(before);
  });

  it("once more, and for the Secret again, where the namespace has to be made", async () => {
    server.namespaceExists = false;
    expect(await deploy()).toEqual({ ok: true, agent_id: pod });
    expect(server.asked.filter((one) => one.startsWith("POST"))).toEqual([
      "POST secrets",
      "POST namespaces",
      "POST secrets",
      "POST pods",
    ]);
  });
});

describe("what another implementation has made", () => {
  it("is left alone while it runs", async () => {
    theirs(running);
    expect(await deploy()).toEqual({ ok: true, agent_id: pod });
    expect(server.asked).toEqual(["GET pods"]);
  });

  it("is replaced once it has ended", async () => {
    const before = theirs(ended);
    expect(await deploy()).toEqual({ ok: true, agent_id: pod });
    expect(server.asked).toContain("DELETE pods");
    expect(server.pods.get(pod)?.metadata.uid).not.toBe(before.metadata.uid);
  });

  it("is waited for while it waits: its intent cannot be compared", async () => {
    const before = theirs(pulling);
    server.fate = pulling;
    const abort = createAbort();
    const answer = deploy({}, abort.signal);
    await expect.poll(() => told, patience).toMatch(/cannot be told/);
    abort.abort();
    expect(await answer).toMatchObject({ ok: false });
    expect(server.asked.filter((one) => /DELETE|POST/.test(one))).toEqual([]);
    expect(server.pods.get(pod)?.metadata.uid).toBe(before.metadata.uid);
  });

  it.each([
    ["another manager", { labels: { "app.kubernetes.io/managed-by": "somebody" } }],
    ["another version", { labels: { "buzz.block.xyz/binding-version": "2" } }],
    ["another key", { annotations: { "buzz.block.xyz/agent-pubkey-full": "d".repeat(64) } }],
  ])("is never touched under %s", async (_, changes) => {
    const before = theirs(ended, changes);
    const answer = await deploy();
    expect(answer).toMatchObject({ ok: false, error: expect.stringContaining(`${pod} exists and is not ours`) });
    expect(server.asked).not.toContain("DELETE pods");
    expect(server.pods.get(pod)).toBe(before);
    expect([...server.secrets]).toEqual([]);
  });
});

describe("what goes wrong", () => {
  it("an agent that ends at once is told with its exit code and its last lines, without a secret", async () => {
    server.fate = ended;
    server.log = `2030-01-01T00:00:01.5Z no relay at wss://relay.example for ${secretKey}\n2030-01-01T00:00:01.6Z \u001b[31mgone\u001b[0m\n`;
    const answer = await deploy();
    expect(answer).toMatchObject({ ok: false, error: expect.stringMatching(/exit code 3[\s\S]*gone/) });
    expect(JSON.stringify(answer)).not.toContain(secretKey);
    expect(JSON.stringify(answer)).not.toMatch(/moorage /);
  });

  it("one that is asked to end says so, and leaves what was started", async () => {
    server.fate = pulling;
    const abort = createAbort();
    const answer = deploy({}, abort.signal);
    await expect.poll(() => server.asked, patience).toContain("WATCH pods");
    abort.abort();
    expect(await answer).toMatchObject({ ok: false, error: expect.stringContaining("what was started goes on") });
    expect(server.pods.size).toBe(1);
    expect(server.secrets.size).toBe(1);
  });

  it("a key that cannot be decoded is told by its field, before anything is asked, and by nothing of itself", async () => {
    const wrong = [
      "nsec1qqqq",
      secretKey.slice(1),
      "0".repeat(64),
      "f".repeat(64),
      "npub1abcdefgh",
      "value-of-no-form",
    ];
    for (const private_key_nsec of wrong) {
      const answer = await deploy({ agent: { private_key_nsec } });
      expect(answer).toMatchObject({ ok: false, error: expect.stringContaining("agent.private_key_nsec: ") });
      expect(JSON.stringify(answer)).not.toContain(private_key_nsec);
    }
    expect(server.asked).toEqual([]);
  });

  it("tells beside the answer what it does, without a secret", async () => {
    await deploy();
    expect(told).toMatch(/^decide: no instance found$/m);
    for (const secret of [secretKey, "tag-of-the-owner", "model-of-the-user"]) expect(told).not.toContain(secret);
  });
});
