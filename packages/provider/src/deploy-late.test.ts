import { createAbort, redactor } from "@moorage/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Answer } from "./answer.ts";
import { ApiServer, type Fate, patience, pulling, running } from "./api-server.fixture.ts";
import { deploy } from "./deploy.ts";
import { readDeployRequest } from "./deploy-request.ts";
import { type JumpingClock, jumpingClock } from "./jumping-clock.fixture.ts";
import { deployRequest, image, publicKey } from "./request.fixture.ts";

const pod = `buzz-agent-${publicKey.slice(0, 12)}`;
const kubectl = "`kubectl --context test --namespace buzz-agents-test";
const unplaced: Fate = () => ({
  phase: "Pending",
  conditions: [
    {
      type: "PodScheduled",
      status: "False",
      reason: "Unschedulable",
      message: "0/3 nodes are available: 3 Insufficient cpu.",
    },
  ],
});

let server: ApiServer;
let clock: JumpingClock;

beforeEach(async () => {
  server = await ApiServer.start();
  clock = jumpingClock();
});
afterEach(() => server.end());

function start(): Promise<Answer> {
  return deploy(readDeployRequest(deployRequest()), {
    env: { KUBECONFIG: server.kubeconfig },
    home: null,
    random: { token: (digits) => "ab".repeat(digits / 2), fraction: () => 0.5 },
    clock,
    journal: { append: () => undefined },
    redact: redactor([]),
    signal: createAbort().signal,
  });
}

/** A start that watches, until its time is over. */
async function late(): Promise<Answer> {
  const answer = start();
  await expect.poll(() => server.asked, patience).toContain("WATCH pods");
  clock.jump(570_000);
  return answer;
}

/** As another implementation has made it. */
function theirs(fate: Fate): void {
  server.fate = fate;
  server.putPod(
    {
      metadata: {
        name: pod,
        labels: {
          "app.kubernetes.io/managed-by": "buzz-backend-kubernetes",
          "buzz.block.xyz/agent-pubkey": publicKey.slice(0, 32),
          "buzz.block.xyz/binding-version": "1",
        },
        annotations: {
          "buzz.block.xyz/agent-pubkey-full": publicKey,
          "buzz.block.xyz/create-intent": "c".repeat(64),
        },
      },
      spec: { containers: [{ name: "agent", image, resources: { requests: { cpu: "9" } } }] },
    },
    fate,
  );
}

describe("when the time is over", () => {
  it("an answer is given before the client stops listening, and what was started goes on", async () => {
    server.fate = pulling;
    expect(await late()).toEqual({
      ok: false,
      error: `${pod}: not confirmed within 570 s: its node prepares it: sandbox, volumes, image; nothing was undone: start the agent again to go on waiting; ${kubectl} describe pod ${pod}\` says more`,
    });
    expect(server.pods.size).toBe(1);
    expect(server.asked.filter((one) => one.startsWith("DELETE"))).toEqual([]);
  });

  it("what the cluster knows better is told, for somebody who has no command of ours", async () => {
    server.fate = unplaced;
    const answer = await late();
    expect(answer).toMatchObject({
      ok: false,
      error: expect.stringContaining(`${pod}: not confirmed within 570 s: no node can take it: `),
    });
    expect(JSON.stringify(answer)).not.toMatch(/moorage |kubernetes\./);
  });

  it.each([
    ["pulls", pulling, "its node prepares it"],
    ["has no node", unplaced, "no node can take it"],
  ])("a pod of another implementation that %s is told as that, with what replaces it", async (_, fate, why) => {
    theirs(fate);
    const answer = await late();
    expect(answer).toMatchObject({
      ok: false,
      error: expect.stringMatching(
        new RegExp(`^${pod}: not confirmed within 570 s: ${why}.*another version created it, so whether it is what`),
      ),
    });
    expect(answer).toMatchObject({
      error: expect.stringContaining(`to replace it, run ${kubectl} delete pod ${pod}\``),
    });
    expect(server.asked.filter((one) => /DELETE|POST/.test(one))).toEqual([]);
  });

  it("a moment before, it is still waited for", async () => {
    server.fate = pulling;
    const answer = start();
    await expect.poll(() => server.asked, patience).toContain("WATCH pods");
    server.fate = running;
    clock.jump(569_999);
    expect(await answer).toEqual({ ok: true, agent_id: pod });
  });
});

describe("a cluster that never answers", () => {
  it("is told after half a minute, by its address, and has been sent nothing but questions", async () => {
    server.failing = true;
    const answer = start();
    await expect.poll(() => server.asked, patience).toHaveLength(1);
    clock.jump(30_000);
    const error = expect.stringMatching(
      /^buzz-agent-[0-9a-f]{12}: http:\/\/127\.0\.0\.1:\d+ cannot be reached: .*; check the network, the kubeconfig and what it needs, then start the agent again; what is running goes on$/,
    );
    expect(await answer).toEqual({ ok: false, error });
    expect(new Set(server.asked)).toEqual(new Set(["GET pods"]));
  });
});
