import { describe, expect, test } from "vitest";
import { ClusterError } from "./cluster-error.ts";
import { accessOf } from "./kubeconfig.ts";

const here = { context: null, namespace: null };

function file(text: string, path = "/home/ada/.kube/config") {
  return { path, text };
}

const two = `
current-context: near
clusters:
- {name: a, cluster: {server: "https://a:6443/", certificate-authority-data: Q0E=}}
- {name: b, cluster: {server: "https://b:6443", insecure-skip-tls-verify: true, tls-server-name: b.internal}}
users:
- {name: ada, user: {token: abc}}
- {name: bob, user: {client-certificate: bob.crt, client-key-data: S0VZ}}
contexts:
- {name: near, context: {cluster: a, user: ada}}
- {name: on, context: {cluster: b, user: bob, namespace: team}}
`;

function fault(text: string, context: string | null = null): ClusterError {
  try {
    accessOf([file(text)], { context, namespace: null });
  } catch (error) {
    if (error instanceof ClusterError) return error;
    throw error;
  }
  throw new Error("it was accepted");
}

test("the current context, with the namespace default where it names none", () => {
  expect(accessOf([file(two)], here)).toMatchObject({
    context: "near",
    server: "https://a:6443",
    namespace: "default",
    authority: { kind: "data", bytes: Buffer.from("CA") },
    insecure: false,
    user: { name: "ada", token: { kind: "data", bytes: Buffer.from("abc") }, certificate: null },
  });
});

test("a named context, with a name that YAML would take for true; files are relative to the kubeconfig", () => {
  expect(accessOf([file(two)], { context: "on", namespace: null })).toMatchObject({
    server: "https://b:6443",
    namespace: "team",
    insecure: true,
    serverName: "b.internal",
    user: {
      certificate: {
        certificate: { kind: "file", path: "/home/ada/.kube/bob.crt" },
        key: { kind: "data", bytes: Buffer.from("KEY") },
      },
    },
  });
});

test("a namespace that was asked for wins over the context's", () => {
  expect(accessOf([file(two)], { context: "on", namespace: "other" }).namespace).toBe("other");
});

test("of several files the first that says something wins, and entries of all are found", () => {
  const first = file(`{"current-context": "on", "users": [{"name": "bob", "user": {"token": "first"}}]}`, "/x/one");
  const access = accessOf([first, file(two)], here);
  expect(access).toMatchObject({ context: "on", server: "https://b:6443" });
  expect(access.user).toMatchObject({ token: { bytes: Buffer.from("first") }, certificate: null });
});

test("a token file wins over the token beside it", () => {
  const text = two.replace("{token: abc}", "{token: abc, tokenFile: fresh/token}");
  expect(accessOf([file(text)], here).user.token).toEqual({ kind: "file", path: "/home/ada/.kube/fresh/token" });
});

test("impersonation", () => {
  const text = two.replace("{token: abc}", '{token: abc, as: eve, as-groups: [x, y], as-user-extra: {"scopes": [v]}}');
  expect(accessOf([file(text)], here).user.impersonate).toEqual({
    user: "eve",
    uid: null,
    groups: ["x", "y"],
    extra: { scopes: ["v"] },
  });
});

describe("a plugin", () => {
  const exec = (more: string): string =>
    two.replace("{token: abc}", `{exec: {apiVersion: client.authentication.k8s.io/v1, command: get-token${more}}}`);

  test("with arguments and environment", () => {
    const text = exec(
      ', args: [a, "1"], env: [{name: K, value: "on"}], provideClusterInfo: true, installHint: see there',
    );
    expect(accessOf([file(text)], here).user.exec).toEqual({
      apiVersion: "client.authentication.k8s.io/v1",
      command: "get-token",
      args: ["a", "1"],
      env: { K: "on" },
      provideClusterInfo: true,
      installHint: "see there",
    });
  });

  test("with a path is relative to the kubeconfig", () => {
    const text = exec("").replace("command: get-token", "command: bin/get-token");
    expect(accessOf([file(text)], here).user.exec?.command).toBe("/home/ada/.kube/bin/get-token");
  });

  test("of an old version is the client library's", () => {
    const text = exec(", args: [a], env: [{name: K, value: V}]").replace("io/v1,", "io/v1alpha1,");
    expect(accessOf([file(text)], here).user).toMatchObject({
      exec: null,
      rare: { user: { exec: { command: "get-token", args: ["a"], env: [{ name: "K", value: "V" }] } } },
    });
  });

  test("of an unknown version, or one that always talks to a person, is refused by name", () => {
    const unknown = fault(exec("").replace("io/v1,", "io/v9,"));
    expect(unknown).toMatchObject({ code: "clusterUnsupported", message: expect.stringContaining('"get-token"') });
    expect(fault(exec(", interactiveMode: Always"))).toMatchObject({ code: "clusterUnsupported" });
  });
});

test("an auth provider is the client library's, with all that it was given", () => {
  const provider = "{auth-provider: {name: oidc, config: {id-token: T, client-id: C}}}";
  expect(accessOf([file(two.replace("{token: abc}", provider))], here).user).toMatchObject({
    token: null,
    rare: {
      what: 'the auth provider "oidc"',
      user: { authProvider: { name: "oidc", config: { "id-token": "T", "client-id": "C" } } },
    },
  });
});

test("a proxy, and the files that it all comes from", () => {
  const text = two.replace("{server:", '{proxy-url: "socks5://p:1080", server:');
  expect(accessOf([file(text)], here)).toMatchObject({ proxy: "socks5://p:1080", files: ["/home/ada/.kube/config"] });
});

describe("what cannot be used names file, entry and what helps", () => {
  test.each([
    ["no current context", two.replace("current-context: near", ""), "contextUnknown", "no context is the current one"],
    ["no YAML", "a: [", "kubeconfigInvalid", "it is no YAML"],
    ["a list", "[]", "kubeconfigInvalid", "it is no mapping"],
    ["an unknown cluster", two.replace("cluster: a,", "cluster: c,"), "kubeconfigInvalid", '"c"'],
    ["an unknown user", two.replace("user: ada}", "user: eve}"), "kubeconfigInvalid", '"eve"'],
    ["no server", two.replace('server: "https://a:6443/"', "server: a"), "kubeconfigInvalid", "no server address"],
    ["a proxy of no kind", two.replace("{server:", '{proxy-url: "ftp://p", server:'), "kubeconfigInvalid", "proxy-url"],
    ["an unknown provider", two.replace("{token: abc}", "{auth-provider: {name: own}}"), "clusterUnsupported", '"own"'],
    ["a bad authority", two.replace("Q0E=", '"%%"'), "kubeconfigInvalid", "certificate-authority-data"],
    ["half a certificate", two.replace("{token: abc}", "{client-certificate: x}"), "kubeconfigInvalid", "only one of"],
  ])("%s", (_name, text, code, part) => {
    const error = fault(text);
    expect(error.code).toBe(code);
    expect(error.message).toContain("/home/ada/.kube/config");
    expect(error.message).toContain(part);
    expect(error.hint).not.toBe("");
  });

  test("an unknown context lists those that there are", () => {
    expect(fault(two, "far")).toMatchObject({ code: "contextUnknown", hint: expect.stringContaining("near, on") });
  });
});
