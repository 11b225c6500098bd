import type { StartOutcome } from "@moorage/core";
import { createAbort, startAgent } from "@moorage/core";
import { keyIdentity, sha256, systemRandom } from "@moorage/keys";
import type { PodProfile } from "@moorage/kubernetes";
import { findAccess, openCluster, podTemplate } from "@moorage/kubernetes";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ApiServer, type Fate } from "./api-server.fixture.ts";
import { clientClock } from "./client-clock.ts";
import { image, publicKey, secretKey } from "./request.fixture.ts";

/** Neither of the two that there are, in anything. */
const third: PodProfile = {
  id: "third",
  prefix: "worker",
  domain: "agents.example",
  identityLabel: "who",
  identityAnnotation: "who-in-full",
  managedBy: "third-tool",
  bindingVersion: "7",
  container: "main",
  attemptDigits: 20,
  attemptVariable: "THE_ATTEMPT",
  writesNotes: false,
  home: "/srv/home",
  tellsAgent: false,
  asksToStay: false,
};
const name = `worker-${publicKey.slice(0, 12)}`;
const labels = {
  "app.kubernetes.io/managed-by": "third-tool",
  "agents.example/binding-version": "7",
  "agents.example/who": publicKey.slice(0, 32),
};
const annotations = { "agents.example/who-in-full": publicKey };

/** Only what the profile calls its own container counts. */
const running: Fate = () => ({
  phase: "Running",
  containerStatuses: [
    { name: "agent", restartCount: 0, state: { terminated: { exitCode: 1 } } },
    { name: "main", restartCount: 0, state: { running: { startedAt: "2030-01-01T00:00:01Z" } } },
  ],
});

let server: ApiServer;
beforeEach(async () => {
  server = await ApiServer.start();
  server.fate = running;
});
afterEach(() => server.end());

async function start(profile: PodProfile): Promise<StartOutcome> {
  const env = { KUBECONFIG: server.kubeconfig };
  const access = findAccess({ env, home: null }, { context: null, namespace: "team" });
  const common = { clock: clientClock, random: systemRandom };
  const cluster = openCluster({ access, env, ...common, now: () => Date.now(), profile });
  try {
    return await startAgent(
      {
        agent: "scribe",
        profile,
        identity: await keyIdentity(secretKey),
        template: podTemplate({ name: "scribe", fleet: "writers", image, env: { PLAIN: "1" }, secretKeys: ["TOKEN"] }),
        notes: { name: "scribe", fleet: "writers", image },
        secrets: new Map([["TOKEN", "secret-token"]]),
        deadlineMs: 15_000,
        settleMs: 0,
      },
      {
        substrate: cluster.substrate,
        ...common,
        digest: sha256,
        journal: { append: () => undefined },
        signal: createAbort().signal,
      },
    );
  } finally {
    cluster.close();
  }
}

describe("another profile is data alone", () => {
  it("names, marks, container, home and the variable of the attempt are what it says", async () => {
    expect(await start(third)).toMatchObject({ outcome: "started", agentId: name });
    const [secret, pod] = server.sent;
    const attempt = secret?.metadata.name.slice(name.length + 1) ?? "";
    expect(attempt).toMatch(/^[0-9a-f]{20}$/);
    expect(secret).toMatchObject({ stringData: { TOKEN: "secret-token", THE_ATTEMPT: attempt } });
    expect(secret?.metadata).toEqual({ name: `${name}-${attempt}`, namespace: "team", labels, annotations });
    expect(pod?.metadata).toEqual({
      name,
      namespace: "team",
      labels,
      annotations: {
        ...annotations,
        "agents.example/create-intent": expect.stringMatching(/^m1:[0-9a-f]{64}$/),
        "agents.example/image": image,
      },
    });
    expect(pod?.["spec"]).toMatchObject({
      containers: [
        {
          name: "main",
          workingDir: "/srv/home",
          env: [
            { name: "HOME", value: "/srv/home" },
            { name: "PLAIN", value: "1" },
          ],
          envFrom: [{ secretRef: { name: `${name}-${attempt}` } }],
          volumeMounts: [{ mountPath: "/srv/home" }],
        },
      ],
    });
  });

  it("what it has made is known again: one request, and nothing changes", async () => {
    await start(third);
    server.asked.length = 0;
    expect(await start(third)).toMatchObject({ outcome: "alreadyRunning", intent: "current" });
    expect(server.asked).toEqual(["GET pods"]);
  });

  it("without a variable the attempt is told to nobody, and with notes each is written", async () => {
    await start({ ...third, attemptVariable: null, writesNotes: true, tellsAgent: true, asksToStay: true });
    const [secret, pod] = server.sent;
    expect(secret?.["stringData"]).toEqual({ TOKEN: "secret-token" });
    expect(secret?.metadata.annotations).toEqual({ ...annotations, "agents.example/attempt-deadline": "15" });
    expect(pod?.metadata.annotations).toMatchObject({
      "agents.example/name": "scribe",
      "agents.example/fleet": "writers",
      "karpenter.sh/do-not-disrupt": "true",
    });
    expect(pod?.metadata.labels).toMatchObject({ "app.kubernetes.io/name": "scribe" });
    expect(pod?.["spec"]).toMatchObject({
      containers: [{ env: expect.arrayContaining([{ name: "MOORAGE_WORKSPACE", value: "/srv/home" }]) }],
    });
  });

  it("under another one the same key is another agent, which stays untouched", async () => {
    await start(third);
    const [first] = server.pods.values();
    const other = { ...third, prefix: "fourth", domain: "fourth.example" };
    expect(await start(other)).toMatchObject({ outcome: "started", agentId: `fourth-${publicKey.slice(0, 12)}` });
    expect(server.pods.get(name)?.metadata.uid).toBe(first?.metadata.uid);
    expect(server.asked.filter((one) => one.startsWith("DELETE"))).toEqual([]);
  });

  it("what has its name under another manager is foreign", async () => {
    server.putPod(
      { metadata: { name, labels: { ...labels, "app.kubernetes.io/managed-by": "moorage" }, annotations } },
      running,
    );
    expect(await start(third)).toMatchObject({ outcome: "refused", condition: { code: "foreignObject" } });
    expect(server.sent).toEqual([expect.objectContaining({ kind: "Secret" })]);
    expect([...server.secrets]).toEqual([]);
  });
});
