import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findAccess } from "./find-access.ts";

let dir = "";
const none = { context: null, namespace: null };
const config = (server: string): string =>
  `{current-context: c, clusters: [{name: k, cluster: {server: "${server}"}}], contexts: [{name: c, context: {cluster: k}}]}`;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "kubeconfig-"));
});

afterEach(() => rmSync(dir, { recursive: true, force: true }));

test("the files of KUBECONFIG, and those that are not there are passed over", () => {
  writeFileSync(join(dir, "one"), config("https://one"));
  const env = { KUBECONFIG: `${join(dir, "absent")}::${join(dir, "one")}` };
  expect(findAccess({ env, home: dir }, none).server).toBe("https://one");
});

test("else the one of the home folder", () => {
  mkdirSync(join(dir, ".kube"));
  writeFileSync(join(dir, ".kube", "config"), config("https://home"));
  expect(findAccess({ env: { KUBECONFIG: "" }, home: dir }, none).server).toBe("https://home");
});

test("else the inside of a pod, with the namespace of its service account", () => {
  writeFileSync(join(dir, "namespace"), "team\n");
  const env = { KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "443" };
  const access = findAccess({ env, home: dir, serviceAccountDir: dir }, none);
  expect(access).toMatchObject({
    context: null,
    server: "https://[fd00::1]:443",
    namespace: "team",
    authority: { kind: "file", path: join(dir, "ca.crt") },
    user: { token: { kind: "file", path: join(dir, "token") } },
  });
});

test("else it says where it looked", () => {
  expect(() => findAccess({ env: {}, home: dir }, none)).toThrow(join(dir, ".kube", "config"));
  expect(() => findAccess({ env: {}, home: null }, none)).toThrow("no kubeconfig is known");
});

test("a context that was asked for is never answered with the pod we run in", () => {
  const env = { KUBERNETES_SERVICE_HOST: "10.0.0.1", KUBERNETES_SERVICE_PORT: "443" };
  expect(() => findAccess({ env, home: dir }, { context: "far", namespace: null })).toThrow("no kubeconfig");
});
