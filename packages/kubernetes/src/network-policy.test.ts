import type { InstanceSpec } from "@moorage/core";
import { instanceMarks, parseIdentity } from "@moorage/core";
import { afterEach, expect, test } from "vitest";
import { Credentials } from "./credentials.ts";
import type { Handler, MisbehavingServer } from "./misbehaving-server.fixture.ts";
import { accessTo, answerJson, evenRandom, realClock, startServer } from "./misbehaving-server.fixture.ts";
import { podTemplate } from "./pod-defaults.ts";
import { mooragePods } from "./pod-profile.ts";
import { createSubstrate } from "./substrate.ts";
import { Transport } from "./transport.ts";

const identity = parseIdentity("0123456789abcdef".repeat(4)) ?? expect.fail("no identity");
const policies = "/apis/networking.k8s.io/v1/namespaces/team/networkpolicies";
const closing = {
  podSelector: { matchLabels: { "moorage.dev/network-policy": "deny-all" } },
  policyTypes: ["Ingress", "Egress"],
};
const ends: (() => void | Promise<void>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

type Answers = Readonly<Record<string, readonly [number, object]>>;

/** Creates an instance on a server whose answers are written down by method and path. */
async function create(answers: Answers, networkPolicy: "none" | "denyAll" = "denyAll") {
  const handler: Handler = ({ method, url }, response) => {
    const [code, body] = answers[`${method} ${url.replace(/\?.*$/, "")}`] ?? [201, { metadata: {} }];
    answerJson(response, code, body);
  };
  const server = await startServer(handler);
  const access = accessTo(server.server);
  const transport = new Transport(access, new Credentials(access, { env: {}, now: () => 0 }));
  ends.push(() => server.end());
  ends.push(() => transport.close());
  const substrate = createSubstrate({
    transport,
    profile: mooragePods,
    clock: realClock,
    random: evenRandom,
    namespace: "team",
    context: "near",
    server: access.server,
  });
  const image = `registry.example/a@sha256:${"0".repeat(64)}`;
  const spec: InstanceSpec = {
    name: "moorage-0123456789ab",
    secret: "moorage-0123456789ab-0011223344556677",
    template: podTemplate({ name: "scribe", fleet: "scribe", image, env: {}, secretKeys: [], networkPolicy }),
    ...instanceMarks(mooragePods, identity, `m1:${"0".repeat(64)}`, {}),
  };
  return { answer: await substrate.createInstance(spec), asked: asked(server), server };
}

function asked({ received }: MisbehavingServer): string[] {
  return received.map(({ method, url }) => `${method} ${url.replace(/^.*\/(\w+)(\/[\w-]+)?(\?.*)?$/, "$1")}`);
}

const failure = (code: number, reason: string, more: object = {}): readonly [number, object] => [
  code,
  { kind: "Status", code, reason, ...more },
];
const absent = failure(404, "NotFound", { details: { kind: "networkpolicies" } });
const forbidden = (verb: string) =>
  failure(403, "Forbidden", {
    message: `networkpolicies.networking.k8s.io is forbidden: User "ada" cannot ${verb} resource "networkpolicies" in API group "networking.k8s.io" in the namespace "team"`,
  });

test("who declares none makes none, and has no label", async () => {
  const { answer, asked, server } = await create({}, "none");
  expect(answer).toEqual({ kind: "created" });
  expect(asked).toEqual(["POST pods"]);
  expect(server.received[0]?.body).not.toContain("network-policy");
});

test("it is made before the pod that counts on it, and the pod has the label that it selects", async () => {
  const { answer, asked, server } = await create({ [`GET ${policies}/moorage-deny-all`]: absent });
  expect(answer).toEqual({ kind: "created" });
  expect(asked).toEqual(["GET networkpolicies", "POST networkpolicies", "POST pods"]);
  expect(JSON.parse(server.received[1]?.body ?? "")).toMatchObject({ kind: "NetworkPolicy", spec: closing });
  expect(JSON.parse(server.received[2]?.body ?? "")).toMatchObject({
    metadata: { labels: closing.podSelector.matchLabels },
  });
});

test("one that is there is used", async () => {
  const { answer, asked } = await create({ [`GET ${policies}/moorage-deny-all`]: [200, { spec: closing }] });
  expect(answer).toEqual({ kind: "created" });
  expect(asked).toEqual(["GET networkpolicies", "POST pods"]);
});

test.each([
  ["lets something out", { ...closing, egress: [{ to: [] }] }],
  ["says nothing of what goes out", { ...closing, policyTypes: ["Ingress"] }],
  ["selects other pods", { ...closing, podSelector: { matchLabels: { app: "other" } } }],
  ["selects fewer pods", { ...closing, podSelector: { ...closing.podSelector, matchExpressions: [{ key: "a" }] } }],
])("one that %s is told, and no pod is made", async (_what, spec) => {
  const { answer, asked } = await create({ [`GET ${policies}/moorage-deny-all`]: [200, { spec }] });
  expect(answer).toMatchObject({
    kind: "refused",
    refusal: {
      detail: expect.stringContaining("kubectl --context near --namespace team delete networkpolicy moorage-deny-all"),
    },
  });
  expect(asked).toEqual(["GET networkpolicies"]);
});

test.each(["get", "create"])("without the right to %s it, no pod is made", async (verb) => {
  const { answer, asked } = await create({
    [`GET ${policies}/moorage-deny-all`]: verb === "get" ? forbidden("get") : absent,
    [`POST ${policies}`]: forbidden("create"),
  });
  expect(answer).toMatchObject({ kind: "refused", refusal: { kind: "forbidden", verb, resource: "networkpolicies" } });
  expect(asked).not.toContain("POST pods");
});

test.each([
  ["an answer that is lost", failure(503, "ServiceUnavailable"), "unavailable"],
  ["a missing namespace", failure(404, "NotFound", { details: { kind: "namespaces" } }), "scopeMissing"],
])("after %s no pod is made in this round", async (_what, post, kind) => {
  const { answer, asked } = await create({
    [`GET ${policies}/moorage-deny-all`]: absent,
    [`POST ${policies}`]: post,
  });
  expect(answer).toMatchObject({ kind });
  expect(asked).not.toContain("POST pods");
});

test("of two that make it at once, the second looks at what the first has made", async () => {
  let looks = 0;
  const answers: Answers = {
    get [`GET ${policies}/moorage-deny-all`]() {
      looks += 1;
      return looks === 1 ? absent : ([200, { spec: closing }] as const);
    },
    [`POST ${policies}`]: failure(409, "AlreadyExists"),
  };
  expect((await create(answers)).answer).toEqual({ kind: "created" });
  expect(looks).toBe(2);
});
