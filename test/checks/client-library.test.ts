// The big client library for Kubernetes: outside of the bundle, and loaded by nothing but the rare ways that need it.
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { bundleCommand } from "../../scripts/bundle.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const library = "@kubernetes/client-node";
let dir = "";

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "library-"));
});

afterEach(() => rmSync(dir, { recursive: true, force: true }));

test("nothing of it is in the bundle, which asks for it in one place and only when it gets there", async () => {
  const licenses = await bundleCommand(root, dir);
  expect(licenses).not.toContain(library);
  const bundles = readdirSync(dir).map((file) => readFileSync(join(dir, file), "utf8"));
  const asked = bundles.flatMap(
    (bundle) => bundle.match(/(?:import|from|require)\s*\(?\s*"@kubernetes\/client-node"/g) ?? [],
  );
  expect(asked).toEqual([`import("${library}"`]);
});

/** What a process answers and loads that reads pods as the user of a kubeconfig. */
async function reading(user: string): Promise<{ readonly answer: string; readonly loaded: readonly string[] }> {
  const server = createServer((_, response) => {
    response.setHeader("Content-Type", "application/json");
    response.end('{"metadata": {"resourceVersion": "1"}, "items": []}');
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  try {
    const cluster = `{server: "http://127.0.0.1:${(server.address() as AddressInfo).port}"}`;
    const [entry, context] = [`{name: k, cluster: ${cluster}}`, "{name: c, context: {cluster: k, user: u}}"];
    const file = join(dir, "config");
    writeFileSync(
      file,
      `{current-context: c, clusters: [${entry}], users: [{name: u, user: ${user}}], contexts: [${context}]}`,
    );
    const reader = fileURLToPath(new URL("./read-pods.ts", import.meta.url));
    const child = spawn(process.execPath, [reader, file], { stdio: ["ignore", "pipe", "inherit"] });
    return JSON.parse(await text(child.stdout)) as { answer: string; loaded: string[] };
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => void server.close(resolve));
  }
}

test("a token needs nothing of it", async () => {
  const { answer, loaded } = await reading("{token: abc}");
  expect(answer).toBe("read");
  expect(loaded).toContain("@moorage/kubernetes");
  expect(loaded.filter((name) => name.startsWith("@kubernetes/"))).toEqual([]);
});

test("an auth provider does", async () => {
  const { answer, loaded } = await reading("{auth-provider: {name: gcp, config: {access-token: abc}}}");
  expect(answer).toBe("read");
  expect(loaded).toContain(library);
});
