import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAbort } from "@moorage/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Answer } from "./answer.ts";
import { answerDeploy } from "./answer-deploy.ts";
import { ApiServer } from "./api-server.fixture.ts";
import type { Json } from "./fields.ts";
import { deployRequest, publicKey } from "./request.fixture.ts";

let home: string;
let server: ApiServer;
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), "home-"));
  server = await ApiServer.start();
});
afterEach(async () => {
  await server.end();
  rmSync(home, { recursive: true });
});

function deploy(env: Readonly<Record<string, string>>, config: Json = {}): Promise<Answer> {
  const { signal } = createAbort();
  return answerDeploy(deployRequest({ config }), { env, signal, tell: () => undefined });
}

/** In the home folder. */
function writeKubeconfig(user: object = {}): void {
  mkdirSync(join(home, ".kube"));
  server.writeKubeconfig(join(home, ".kube", "config"), user);
}

/** Whoever this plugin says. */
const plugin = {
  exec: { apiVersion: "client.authentication.k8s.io/v1", command: "cloud-credentials", interactiveMode: "Never" },
};

describe("the way to the cluster", () => {
  it("is the kubeconfig of the home folder, where KUBECONFIG names none", async () => {
    writeKubeconfig();
    expect(await deploy({ HOME: home })).toEqual({ ok: true, agent_id: `buzz-agent-${publicKey.slice(0, 12)}` });
  });

  it("a missing credential plugin is told by its name", async () => {
    writeKubeconfig(plugin);
    expect(await deploy({ HOME: home, PATH: "/usr/bin" })).toMatchObject({
      ok: false,
      error: expect.stringContaining('the credential plugin "cloud-credentials" is not installed'),
    });
    expect(server.asked).toEqual([]);
  });

  it("a plugin is found where a person puts programs, though the PATH of a desktop does not say so", async () => {
    writeKubeconfig(plugin);
    const folder = join(home, ".local", "bin");
    mkdirSync(folder, { recursive: true });
    const printed = {
      apiVersion: "client.authentication.k8s.io/v1",
      kind: "ExecCredential",
      status: { token: "token-1" },
    };
    const script = join(folder, "cloud-credentials");
    writeFileSync(script, `#!/bin/sh\nprintf '%s' '${JSON.stringify(printed)}'\n`);
    chmodSync(script, 0o755);
    expect(await deploy({ HOME: home, PATH: "/usr/bin:/bin" })).toMatchObject({ ok: true });
  });

  it("a context may be called after us", async () => {
    const path = join(home, "config");
    writeFileSync(
      path,
      JSON.stringify({
        contexts: [
          { name: "moorage", context: {} },
          { name: "moorage prod", context: {} },
        ],
      }),
    );
    expect(await deploy({ KUBECONFIG: path }, { context: "elsewhere" })).toMatchObject({
      ok: false,
      error: expect.stringMatching(
        /there is no context "elsewhere"; choose one with `context`: moorage, moorage prod$/,
      ),
    });
  });

  it("a context that is not there is told, with those that are", async () => {
    const answer = await deploy({ KUBECONFIG: server.kubeconfig, HOME: home }, { context: "elsewhere" });
    expect(answer).toMatchObject({ ok: false, error: expect.stringContaining('there is no context "elsewhere"') });
    expect(answer).toMatchObject({ error: expect.stringContaining("test") });
    expect(server.asked).toEqual([]);
  });
});
