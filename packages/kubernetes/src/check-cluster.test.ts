import { afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Check } from "./check.ts";
import { checkCluster } from "./check-cluster.ts";
import type { ClusterAccess } from "./cluster-access.ts";
import { Credentials } from "./credentials.ts";
import { parseFields } from "./json-fields.ts";
import type { Handler, Pki } from "./misbehaving-server.fixture.ts";
import { accessTo, answerJson, evenRandom, makePki, realClock, startServer } from "./misbehaving-server.fixture.ts";
import { mooragePods } from "./pod-profile.ts";
import { requestsTo } from "./requests.ts";
import { rights } from "./rights.ts";
import { Transport } from "./transport.ts";

const now = Date.parse("2026-03-01T12:00:00Z");
const dateOf = (ms: number): string => new Date(now + ms).toUTCString();
let pki: Pki;
const ends: (() => void | Promise<void>)[] = [];

beforeAll(() => {
  pki = makePki();
});

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

type Answer = readonly [code: number, body: object];

const failure = (code: number, reason: string, more: object = {}): Answer => [
  code,
  { kind: "Status", code, reason, ...more },
];
const noNamespace = failure(404, "NotFound", { details: { kind: "namespaces" } });
const forbidden = (message: string): Answer => failure(403, "Forbidden", { message });

/** A cluster on which all is well, unless a test says otherwise by method and path. */
const healthy: Readonly<Record<string, Answer>> = {
  "GET /version": [200, { gitVersion: "v1.36.2" }],
  "POST /apis/authentication.k8s.io/v1/selfsubjectreviews": [201, { status: { userInfo: { username: "oidc:ada" } } }],
  "GET /api/v1/namespaces/team": [
    200,
    { metadata: { labels: { "pod-security.kubernetes.io/enforce": "restricted" } }, status: { phase: "Active" } },
  ],
  "POST /api/v1/namespaces/team/pods?dryRun=All&fieldManager=moorage": [201, {}],
  "GET /apis/metrics.k8s.io/v1beta1": [200, {}],
};

interface Told {
  readonly changes?: Readonly<Record<string, Answer>>;
  readonly denied?: readonly string[];
  readonly date?: string;
  readonly access?: Partial<ClusterAccess>;
  /** Over TLS, where that is what the test is about. */
  readonly secure?: boolean;
}

async function check({ changes = {}, denied = [], date = dateOf(0), access: other = {}, secure = false }: Told = {}) {
  const handler: Handler = ({ method, url, body }, response) => {
    if (url.endsWith("/selfsubjectaccessreviews") && changes[`${method} ${url}`] === undefined) {
      const { resourceAttributes: asked } = (parseFields(body)?.["spec"] ?? {}) as {
        resourceAttributes: { verb: string; resource: string; subresource?: string };
      };
      const right = `${asked.verb} ${asked.resource}${asked.subresource === undefined ? "" : `/${asked.subresource}`}`;
      return answerJson(response, 201, { status: { allowed: !denied.includes(right) } }, { Date: date });
    }
    const [code, answer] = changes[`${method} ${url}`] ?? healthy[`${method} ${url}`] ?? failure(404, "NotFound");
    answerJson(response, code, answer, { Date: date });
  };
  const server = await startServer(handler, secure ? pki : undefined);
  ends.push(() => server.end());
  const token = { kind: "data" as const, bytes: Buffer.from("very-secret-token") };
  const access = { ...accessTo(server.server, { token }, pki.authority), files: ["/home/ada/.kube/config"], ...other };
  const credentials = new Credentials(access, { env: {}, now: () => now });
  const transport = new Transport(access, credentials);
  ends.push(() => transport.close());
  const scope = {
    transport,
    profile: mooragePods,
    clock: realClock,
    random: evenRandom,
    namespace: access.namespace,
    context: access.context,
    server: access.server,
  };
  const checks = await checkCluster({ access, credentials, scope, requests: requestsTo(scope), now: () => now });
  expect(JSON.stringify(checks)).not.toContain("secret-token");
  return { checks, server, of: (name: string) => checks.filter((one) => one.name === name) };
}

const states = (checks: readonly Check[]): string[] => checks.map(({ name, state }) => `${name}: ${state}`);

test("where all is well, everything is told in its order and nothing is made", async () => {
  const { checks, server, of } = await check({ secure: true });
  expect(states(checks)).toEqual(
    ["kubeconfig", "API server", "user", "clock", "namespace", "pods", "rights", "metrics"].map(
      (name) => `${name}: ok`,
    ),
  );
  expect(of("kubeconfig")[0]?.message).toBe("/home/ada/.kube/config, context test, namespace team");
  expect(of("API server")[0]?.message).toContain("Kubernetes v1.36.2");
  expect(of("user")[0]?.message).toBe("ada, by a token; the API server knows it as oidc:ada");
  expect(of("namespace")[0]?.message).toBe('team is there; Pod Security enforces "restricted"');
  const changing = server.received.filter(
    ({ method, url }) => method !== "GET" && !/\/selfsubject\w*reviews$/.test(url),
  );
  expect(changing.map(({ url }) => url)).toEqual(["/api/v1/namespaces/team/pods?dryRun=All&fieldManager=moorage"]);
});

describe("the way there", () => {
  test("a plugin that is missing ends it, with how to install it", async () => {
    const exec = {
      apiVersion: "client.authentication.k8s.io/v1" as const,
      command: "no-such-plugin-anywhere",
      args: [],
      env: {},
      installHint: "see there",
      provideClusterInfo: false,
    };
    const user = { ...accessTo("").user, exec };
    const { checks, server } = await check({ access: { user } });
    expect(states(checks)).toEqual(["kubeconfig: ok", "user: problem"]);
    expect(checks[1]?.message).toContain('"no-such-plugin-anywhere" is not installed');
    expect(checks[1]?.hint).toContain("see there");
    expect(server.received).toEqual([]);
  });

  test("a certificate that is not trusted is told in words", async () => {
    const { checks } = await check({ secure: true, access: { authority: null } });
    expect(states(checks)).toEqual(["kubeconfig: ok", "API server: problem"]);
    expect(checks[1]?.message).toMatch(/its certificate is signed by itself/);
  });

  test("a server that nobody answers for is told", async () => {
    const { checks } = await check({ access: { server: "https://127.0.0.1:1" } });
    expect(checks[1]).toMatchObject({ name: "API server", state: "problem" });
    expect(checks[1]?.message).toContain("nothing listens there");
  });

  test("a credential that is over is told, with which one it was", async () => {
    const { checks } = await check({ changes: { "GET /version": failure(401, "Unauthorized") } });
    expect(states(checks)).toEqual(["kubeconfig: ok", "API server: warning", "user: problem"]);
    expect(checks[2]?.message).toBe("the API server does not accept ada, who signs in by a token");
  });

  test("a certificate that is not looked at is a warning", async () => {
    const { of } = await check({ secure: true, access: { insecure: true, authority: null } });
    expect(of("API server")).toMatchObject([{ state: "warning", message: expect.stringContaining("not looked at") }]);
  });

  test("an older server that does not say who we are is no fault", async () => {
    const changes = { "POST /apis/authentication.k8s.io/v1/selfsubjectreviews": failure(404, "NotFound") };
    expect((await check({ changes })).of("user")).toMatchObject([{ state: "ok", message: "ada, by a token" }]);
  });
});

test.each([
  [45_000, "ok", "less than a minute apart"],
  [-300_000, "note", "5 min behind"],
  [86_400_000 * 3, "note", "3 days ahead of"],
])("a clock that is %d ms away", async (ms, state, words) => {
  const { of } = await check({ date: dateOf(ms) });
  expect(of("clock")).toMatchObject([{ state, message: expect.stringContaining(words) }]);
  if (state === "note") expect(of("clock")[0]?.hint).toContain("by the cluster's clock alone");
});

describe("the namespace", () => {
  const [path, dryRun] = [
    "GET /api/v1/namespaces/team",
    "POST /api/v1/namespaces/team/pods?dryRun=All&fieldManager=moorage",
  ];
  const may =
    'namespaces "team" is forbidden: User "ada" cannot get resource "namespaces" in API group "" in the namespace "team"';
  const mayNot = 'pods is forbidden: User "ada" cannot create resource "pods" in API group "" in the namespace "team"';

  test("that is missing is made by the first deploy, or by whoever may", async () => {
    const changes = { [path]: noNamespace, [dryRun]: noNamespace };
    expect((await check({ changes })).of("namespace")).toMatchObject([
      { state: "note", message: "team is not there yet" },
    ]);
    expect((await check({ changes, denied: ["create namespaces"] })).of("namespace")).toMatchObject([
      { state: "problem", hint: "run `kubectl --context test create namespace team`" },
    ]);
  });

  test("that may not be read is told by the pod that is tried", async () => {
    const there = await check({ changes: { [path]: forbidden(may) } });
    expect(there.of("namespace")).toMatchObject([{ state: "ok", message: "team is there" }]);
    const absent = await check({ changes: { [path]: forbidden(may), [dryRun]: noNamespace } });
    expect(absent.of("namespace")).toMatchObject([{ state: "note", message: "team is not there yet" }]);
    const blind = await check({
      changes: { [path]: forbidden(may), [dryRun]: forbidden(mayNot) },
    });
    expect(blind.of("namespace")).toMatchObject([{ state: "note" }]);
  });

  test("that is being deleted is a problem", async () => {
    const terminating = { [path]: [200, { status: { phase: "Terminating" } }] as Answer };
    expect((await check({ changes: terminating })).of("namespace")).toMatchObject([{ state: "problem" }]);
  });

  test.each([
    [
      "Pod Security",
      'pods "x" is forbidden: violates PodSecurity "restricted:latest": seccompProfile',
      "seccompProfile",
    ],
    [
      "a quota",
      'pods "x" is forbidden: exceeded quota: small, requested: pods=1, used: pods=1, limited: pods=1',
      "small",
    ],
    [
      "a missing account",
      'pods "x" is forbidden: error looking up service account team/default: serviceaccount "default" not found',
      "service account default",
    ],
  ])("whose pods are kept out by %s says so", async (_what, message, words) => {
    const { of } = await check({ changes: { [dryRun]: forbidden(message) } });
    expect(of("pods")).toMatchObject([{ state: "warning", message: expect.stringContaining(words) }]);
    expect(of("namespace")).toMatchObject([{ state: "ok" }]);
  });

  test("with a webhook that takes no dry run cannot be tried", async () => {
    const message = 'admission webhook "w" does not support dry run';
    const { of } = await check({ changes: { [dryRun]: failure(400, "BadRequest", { message }) } });
    expect(of("pods")).toMatchObject([{ state: "note", hint: expect.stringContaining("no dry run") }]);
  });
});

describe("rights", () => {
  test("that are missing are told one by one, with what they are for", async () => {
    const { of } = await check({ denied: ["watch pods", "get pods/log", "get nodes"] });
    expect(of("rights")).toMatchObject([
      {
        state: "ok",
        message: expect.stringMatching(/^list, get, create, delete pods; list, get, create, delete secrets; /),
      },
      {
        state: "problem",
        message:
          "not allowed to watch pods in the namespace team, which is needed to notice at once what happens to an agent",
        hint: expect.stringContaining("`deploy`"),
      },
      { state: "problem", message: expect.stringContaining("get pods/log in the namespace team") },
      { state: "note", message: expect.stringContaining("get nodes in the cluster, which is optional to") },
    ]);
  });

  test("that are all missing are told in one line", async () => {
    const denied = rights.map(({ verb, resource, subresource }) =>
      subresource === null ? `${verb} ${resource}` : `${verb} ${resource}/${subresource}`,
    );
    const { of } = await check({ denied });
    expect(of("rights")).toMatchObject([
      {
        state: "problem",
        message: expect.stringContaining("none of the rights that are needed in the namespace team"),
      },
    ]);
  });

  test("that cannot be asked for are told as that", async () => {
    const changes = { "POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews": failure(403, "Forbidden") };
    const { of } = await check({ changes });
    expect(of("rights")).toMatchObject([
      { state: "warning", message: expect.stringContaining(`${rights.length} cannot`) },
    ]);
  });
});

test("something else that answers 200 is told as that, and nothing more is asked", async () => {
  const { of } = await check({ changes: { "GET /version": [200, { page: "sign in" }] } });
  expect(of("API server")).toMatchObject([{ state: "problem", message: expect.stringContaining("is no API server") }]);
  expect(of("rights")).toEqual([]);
});

test("a cluster that measures nothing is no fault", async () => {
  const { of } = await check({ changes: { "GET /apis/metrics.k8s.io/v1beta1": failure(404, "NotFound") } });
  expect(of("metrics")).toMatchObject([{ state: "note" }]);
});
