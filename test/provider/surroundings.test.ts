// What a desktop has around its providers, and has not: a home, a PATH, a kubeconfig, a credential plugin, a cluster that talks.
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type ApiServer, answerJson, openApiServer, writeKubeconfig } from "./api-server.ts";
import { type Desktop, openDesktop, refusalOf } from "./desktop.ts";
import { deployRequest, secretValues } from "./request.ts";

let desktop: Desktop;
let server: ApiServer | null = null;
beforeAll(async () => {
  desktop = await openDesktop();
});
afterAll(() => desktop.close());
afterEach(async () => {
  await server?.close();
  server = null;
  for (const name of readdirSync(desktop.home)) rmSync(join(desktop.home, name), { recursive: true });
  expect(readdirSync(desktop.elsewhere)).toEqual([]);
});

async function refused(request: unknown, env: Readonly<Record<string, string>> = desktop.env): Promise<string> {
  return refusalOf(await desktop.ask(request, { env }), secretValues);
}

function forbidden(reason: string) {
  return { apiVersion: "v1", kind: "Status", status: "Failure", code: 403, reason: "Forbidden", message: reason };
}

test("without a kubeconfig that is what is told, by its place", async () => {
  const error = await refused(deployRequest());
  expect(error).toContain(join(desktop.home, ".kube", "config"));
  expect(error).not.toContain("moorage ");
});

test("without HOME the system knows where the user is at home", async () => {
  const { HOME: _, ...env } = desktop.env;
  expect(await refused(deployRequest(), { ...env, KUBECONFIG: "" })).toContain(
    join(userInfo().homedir, ".kube", "config"),
  );
});

test("KUBECONFIG counts before the home folder", async () => {
  const missing = join(desktop.home, "elsewhere.yaml");
  expect(await refused(deployRequest(), { ...desktop.env, KUBECONFIG: missing })).toContain(missing);
});

const noPin = "registry.example/agent:latest";
test.each([
  [deployRequest({ agent: { private_key_nsec: "nsec1broken" } }), /^agent\.private_key_nsec: /],
  [deployRequest({ agent: { private_key_nsec: null } }), /^agent\.private_key_nsec: /],
  [deployRequest({ agent: { auth_tag: " " }, launch: { owner_pubkey: null } }), /^agent\.auth_tag: /],
  [deployRequest({ agent: { provider: " relay-mesh\n" } }), /^agent\.provider: /],
  [deployRequest({ agent: { relay_url: " " } }), /^agent\.relay_url: /],
  [deployRequest({ agent: { respond_to: " anyone" } }), /^agent\.respond_to: /],
  [deployRequest({ agent: { respond_to: "allowlist", respond_to_allowlist: [] } }), /^agent\.respond_to_allowlist: /],
  [
    deployRequest({ agent: { respond_to: "allowlist", respond_to_allowlist: ["x"] } }),
    /^agent\.respond_to_allowlist\[0\]/,
  ],
  [deployRequest({ launch: { env: { buzz_acp_no_presence: "1" } } }), /buzz_acp_no_presence/],
  [deployRequest({ launch: { policy_env: { BUZZ_ACP_NO_PRESENCE: "" } } }), /BUZZ_ACP_NO_PRESENCE/],
  [deployRequest({ launch: { env: { "NOT-POSIX": "1" } } }), /"NOT-POSIX"/],
  [deployRequest({ launch: { env: { LONG: "x".repeat(1_100_000) } } }), /LONG/],
  [deployRequest({ launch: { command: "/bin/goose" } }), /^agent\.launch\.command: /],
  [deployRequest({ config: { image: noPin } }), /^provider_config\.image: .*digest/],
  [deployRequest({ config: { image: null } }), /^provider_config\.image: is required/],
  [deployRequest({ config: { namespace: null } }), /^provider_config\.namespace: is required/],
  [deployRequest({ config: { inactivity_seconds: 0 } }), /^provider_config\.inactivity_seconds: /],
  [deployRequest({ config: { cpu_request: "3" } }), /^provider_config\.cpu_request: /],
  [deployRequest({ config: { api_token: "t" } }), /^provider_config\.api_token: no credential/],
  [deployRequest({ config: { colour: "red" } }), /^provider_config\.colour: is not known/],
  [deployRequest({ config: { pod_options: { workspace_size_limit: "big" } } }), /^provider_config\.pod_options\./],
])("what is wrong with the request is told before a kubeconfig is looked for (%#)", async (request, expected) => {
  expect(await refused(request)).toMatch(expected);
});

const plugin = {
  apiVersion: "client.authentication.k8s.io/v1",
  command: "harbour-pilot",
  args: ["get-token"],
  installHint: "ask the harbour master",
  interactiveMode: "Never",
};

test("a credential plugin that nobody finds is named", async () => {
  server = await openApiServer(null);
  writeKubeconfig(desktop.home, server.address, { exec: plugin });
  const error = await refused(deployRequest());
  expect(error).toMatch(/the credential plugin "harbour-pilot" is not installed.*ask the harbour master/);
  expect(server.asked).toEqual([]);
});

test("a credential plugin in ~/.local/bin is found with a minimal PATH, and told nothing of the agent", async () => {
  server = await openApiServer((_request, _body, response) => answerJson(response, 403, forbidden("not you")));
  writeKubeconfig(desktop.home, server.address, { exec: plugin });
  const bin = join(desktop.home, ".local", "bin");
  mkdirSync(bin, { recursive: true });
  const seen = join(desktop.home, "seen");
  const answer = { apiVersion: plugin.apiVersion, kind: "ExecCredential", status: { token: "berth-4" } };
  const script = `#!/bin/sh\n{ env; echo "args $*"; } > ${seen}\necho '${JSON.stringify(answer)}'\n`;
  writeFileSync(join(bin, plugin.command), script);
  chmodSync(join(bin, plugin.command), 0o755);
  await refused(deployRequest());
  expect(server.authorizations[0]).toBe("Bearer berth-4");
  const told = readFileSync(seen, "utf8");
  expect(told).toMatch(/^args get-token$/m);
  expect(told).toMatch(/^PATH=\/opt\/homebrew\/bin:\/usr\/local\/bin:.*\/\.local\/bin:\/usr\/bin:\/bin$/m);
  for (const secret of secretValues) expect(told).not.toContain(secret);
});

test("nothing of a request is in the process's arguments or environment", async () => {
  server = await openApiServer((_request, _body, response) => answerJson(response, 403, forbidden("not you")));
  writeKubeconfig(desktop.home, server.address);
  const running = desktop.start();
  running.stdin.end(JSON.stringify(deployRequest()));
  const places = process.platform === "linux" ? ["cmdline", "environ"] : [];
  const texts = places.map((name) => readFileSync(`/proc/${running.pid}/${name}`, "latin1"));
  refusalOf(await running.ended, secretValues);
  for (const text of texts) for (const secret of secretValues) expect(text).not.toContain(secret);
});

test("a server that says back what it was given, and at length, cannot make the answer tell a secret or grow", async () => {
  const echoes: string[] = [];
  server = await openApiServer((request, body, response) => {
    if (request.method === "GET") {
      const metadata = { resourceVersion: "1" };
      answerJson(response, 200, { apiVersion: "v1", kind: "PodList", metadata, items: [] });
      return;
    }
    const given = Object.values((JSON.parse(body) as { stringData?: Record<string, string> }).stringData ?? {});
    echoes.push(...given);
    const encoded = given.map((text) => Buffer.from(text).toString("base64"));
    const message = `no: ${[...given, ...encoded, body].join(" ").repeat(1_000)}`;
    answerJson(response, 403, forbidden(message));
  });
  writeKubeconfig(desktop.home, server.address);
  const ended = await desktop.ask(deployRequest());
  const error = refusalOf(ended, secretValues);
  expect(echoes).toEqual(expect.arrayContaining([...secretValues]));
  expect(error.length).toBeLessThan(10_000);
});

test("a way to sign in that needs the client library says so, and how to get it", async () => {
  server = await openApiServer(null);
  writeKubeconfig(desktop.home, server.address, { "auth-provider": { name: "gcp", config: { "access-token": "t" } } });
  const error = await refused(deployRequest());
  expect(error).toMatch(/needs the package @kubernetes\/client-node.*npm install --global @kubernetes\/client-node@/);
  expect(server.asked).toEqual([]);
});
