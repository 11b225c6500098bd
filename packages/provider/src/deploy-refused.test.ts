import { createAbort } from "@moorage/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { answerDeploy } from "./answer-deploy.ts";
import { ApiServer } from "./api-server.fixture.ts";
import { deployRequest, publicKey, secretKey } from "./request.fixture.ts";

const pod = `buzz-agent-${publicKey.slice(0, 12)}`;

let server: ApiServer;
beforeEach(async () => {
  server = await ApiServer.start();
});
afterEach(() => server.end());

async function errorOf(): Promise<string> {
  const env = { KUBECONFIG: server.kubeconfig };
  const answer = await answerDeploy(deployRequest(), { env, signal: createAbort().signal, tell: () => undefined });
  return answer.ok || !("error" in answer) ? "" : answer.error;
}

const forbidden = (message: string) => ({ code: 403, reason: "Forbidden", message });
const noRight = (verb: string, resource: string): string =>
  `${resource} is forbidden: User "ada" cannot ${verb} resource "${resource}" in API group "" in the namespace "buzz-agents-test"`;

describe("what a cluster refuses is told with what helps, and leaves nothing behind", () => {
  it.each([
    [
      "Pod Security",
      "POST pods",
      forbidden(`pods "${pod}" is forbidden: violates PodSecurity "restricted:latest": host namespaces`),
      /Pod Security "restricted:latest" does not admit it: host namespaces; change the provider's settings accordingly/,
    ],
    [
      "a right that is missing",
      "POST pods",
      forbidden(noRight("create", "pods")),
      /not allowed to create pods: .*; ask whoever runs the cluster for that right in the namespace$/,
    ],
    [
      "a right to look",
      "GET pods",
      forbidden(noRight("list", "pods")),
      /not allowed to list pods: .*; ask whoever runs the cluster for that right in the namespace$/,
    ],
    [
      "credentials that are over",
      "GET pods",
      { code: 401, reason: "Unauthorized", message: "Unauthorized" },
      /does not accept these credentials; sign in again with your cluster's tool, or choose another context$/,
    ],
    [
      "an object that it takes for invalid",
      "POST pods",
      { code: 422, reason: "Invalid", message: "spec.nodeSelector: Invalid value" },
      /it was refused as invalid: spec.nodeSelector: Invalid value; change the provider's settings accordingly/,
    ],
    [
      "for a reason of its own",
      "POST pods",
      { code: 418, reason: "", message: "short and stout" },
      /refused: short and stout; start the agent again once that is put right$/,
    ],
  ])("%s", async (_, asked, refusal, expected) => {
    server.refusing.set(asked, refusal);
    const error = await errorOf();
    expect(error).toMatch(expected);
    expect(error.startsWith(`${pod}: `)).toBe(true);
    expect(error).not.toMatch(/moorage |declaration/);
    expect([...server.pods, ...server.secrets]).toEqual([]);
  });

  it("a namespace that we may not make, with the command that makes it", async () => {
    server.namespaceExists = false;
    server.refusing.set(
      "POST namespaces",
      forbidden(
        'namespaces is forbidden: User "ada" cannot create resource "namespaces" in API group "" at the cluster scope',
      ),
    );
    expect(await errorOf()).toBe(
      `${pod}: the namespace buzz-agents-test does not exist and we may not create it; run \`kubectl --context test create namespace buzz-agents-test\``,
    );
  });

  it("a webhook that repeats all that it was sent gives nothing of it away", async () => {
    const message = `admission webhook "policy.example" denied the request: BUZZ_PRIVATE_KEY=${secretKey} ${btoa("tag-of-the-owner")}`;
    for (const asked of ["POST secrets", "POST pods"]) {
      server.refusing.clear();
      server.refusing.set(asked, forbidden(message));
      const error = await errorOf();
      expect(error).toContain("the webhook policy.example does not admit it: BUZZ_PRIVATE_KEY=*** ***");
      expect(error).not.toContain(secretKey);
      expect([...server.pods, ...server.secrets]).toEqual([]);
    }
  });
});

it("of many who start the same agent at once, each is told that it runs, and one pod with one Secret is there", async () => {
  const errors = await Promise.all(Array.from({ length: 8 }, errorOf));
  expect(errors).toEqual(errors.map(() => ""));
  expect([...server.pods.keys()]).toEqual([pod]);
  expect(server.secrets.size).toBe(1);
  expect(server.asked).not.toContain("DELETE pods");
});
