import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ClusterAccess, ExecPlugin, UserAccess } from "./cluster-access.ts";
import { Credentials } from "./credentials.ts";
import { runPlugin } from "./exec-plugin.ts";
import { anonymous } from "./kubeconfig-user.ts";

let dir = "";
let now = 1_000_000;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "credentials-"));
  now = 1_000_000;
});

afterEach(() => rmSync(dir, { recursive: true, force: true }));

function access(user: Partial<UserAccess>): ClusterAccess {
  return {
    files: [],
    context: "c",
    server: "https://k:6443",
    authority: null,
    insecure: false,
    serverName: null,
    proxy: null,
    namespace: "default",
    user: { ...anonymous, name: "ada", ...user },
  };
}

function credentials(user: Partial<UserAccess>): Credentials {
  return new Credentials(access(user), { env: process.env, now: () => now });
}

/** A plugin that counts its runs and gives a token for each. */
function plugin(script: string, more: Partial<ExecPlugin> = {}): ExecPlugin {
  const command = join(dir, "get-token");
  writeFileSync(command, `#!/bin/sh\necho run >>${dir}/runs\n${script}\n`);
  chmodSync(command, 0o755);
  const apiVersion = "client.authentication.k8s.io/v1";
  return { apiVersion, command, args: [], env: {}, installHint: null, provideClusterInfo: false, ...more };
}

const answer = (status: string, version = "v1"): string =>
  `n=$(wc -l <"$(dirname "$0")/runs" | tr -d ' ')
cat <<END
{"apiVersion": "client.authentication.k8s.io/${version}", "kind": "ExecCredential", "status": ${status}}
END`;

const runs = (): number =>
  existsSync(join(dir, "runs")) ? readFileSync(join(dir, "runs"), "utf8").split("\n").length - 1 : 0;

describe("a token file", () => {
  test("is believed for a while and then read again", async () => {
    const path = join(dir, "token");
    writeFileSync(path, "one\n");
    const made = credentials({ token: { kind: "file", path } });
    const first = await made.current();
    expect(first.headers).toEqual({ Authorization: "Bearer one" });
    writeFileSync(path, "two");
    expect(await made.current()).toBe(first);
    now += 10_001;
    expect((await made.current()).headers).toEqual({ Authorization: "Bearer two" });
  });

  test("is read at once when the server does not accept it, and one more try is worth it only with another token", async () => {
    const path = join(dir, "token");
    writeFileSync(path, "one");
    const made = credentials({ token: { kind: "file", path } });
    const first = await made.current();
    expect(await made.renew(first)).toBe(false);
    writeFileSync(path, "two");
    expect(await made.renew(first)).toBe(true);
    // A second request that was refused with the old one need not renew again.
    expect(await made.renew(first)).toBe(true);
  });

  test("with a line break in it never reaches a header, nor an error", async () => {
    const made = credentials({ token: { kind: "data", bytes: Buffer.from("secret\r\nX-Evil: 1") } });
    await expect(made.current()).rejects.toMatchObject({
      code: "credentialsUnreadable",
      message: expect.not.stringContaining("secret"),
    });
  });

  test("that is not there is named", async () => {
    const made = credentials({ token: { kind: "file", path: join(dir, "absent") } });
    await expect(made.current()).rejects.toThrow(`${join(dir, "absent")} cannot be read (ENOENT)`);
  });
});

describe("a plugin", () => {
  test("runs once for many requests, and again when its token is over", async () => {
    const until = new Date(now + 60_000).toISOString();
    const made = credentials({ exec: plugin(answer(`{"token": "t$n", "expirationTimestamp": "${until}"}`)) });
    const all = await Promise.all([made.current(), made.current(), made.current()]);
    expect(all.map(({ headers }) => headers["Authorization"])).toEqual(["Bearer t1", "Bearer t1", "Bearer t1"]);
    now += 54_000;
    await made.current();
    expect(runs()).toBe(1);
    now += 2_000;
    expect((await made.current()).headers).toEqual({ Authorization: "Bearer t2" });
  });

  test("without an end is kept until the server says no", async () => {
    const made = credentials({
      exec: plugin(answer('{"token": "t$n"}', "v1beta1"), { apiVersion: "client.authentication.k8s.io/v1beta1" }),
    });
    const first = await made.current();
    now += 86_400_000;
    await made.current();
    expect(runs()).toBe(1);
    expect(await made.renew(first)).toBe(true);
    expect((await made.current()).headers).toEqual({ Authorization: "Bearer t2" });
  });

  test("may give a certificate", async () => {
    const made = credentials({ exec: plugin(answer('{"clientCertificateData": "C", "clientKeyData": "K"}')) });
    expect((await made.current()).certificate).toEqual({ certificate: Buffer.from("C"), key: Buffer.from("K") });
  });

  test("is told the cluster when it wants to know it", async () => {
    const exec = plugin(`printf %s "$KUBERNETES_EXEC_INFO" >${dir}/info; ${answer('{"token": "t"}')}`, {
      provideClusterInfo: true,
    });
    await credentials({ exec }).current();
    expect(JSON.parse(readFileSync(join(dir, "info"), "utf8"))).toEqual({
      apiVersion: exec.apiVersion,
      kind: "ExecCredential",
      spec: { interactive: false, cluster: { server: "https://k:6443" } },
    });
  });

  test("that is missing is named, with how to install it", async () => {
    const exec = plugin("", { command: "no-such-plugin-anywhere", installHint: "brew install\n  it" });
    await expect(credentials({ exec }).current()).rejects.toMatchObject({
      code: "credentialPluginMissing",
      message: 'the credential plugin "no-such-plugin-anywhere" is not installed',
      hint: expect.stringContaining("brew install it"),
    });
  });

  test.each([
    ["fails", "echo secret-token; echo secret-token >&2; exit 3", "ended with exit code 3"],
    ["prints no JSON", "echo secret-token", "something else than JSON"],
    ["speaks another version", answer('{"token": "secret-token"}', "v1beta1"), "another version"],
    ["gives nothing", answer("{}"), "neither a token nor a certificate"],
  ])("that %s is named, and nothing that it printed", async (_what, script, part) => {
    const made = credentials({ exec: plugin(script, { args: ["--password", "secret-token"] }) });
    const error = await made.current().then(
      () => new Error("it was accepted"),
      (fault: unknown) => fault as Error,
    );
    expect(error.message).toContain(part);
    expect(error.message).toContain("get-token");
    expect(JSON.stringify([error.message, { ...error }])).not.toContain("secret-token");
  });

  test("that hangs, also in a child of its own, is ended", async () => {
    const exec = plugin("sleep 60 & echo $! >$(dirname $0)/child; wait");
    const waiting = runPlugin(exec, access({}), null, process.env, { timeoutMs: 300, longestAnswer: 1000 });
    await expect(waiting).rejects.toThrow("gave no answer within 0.3 s");
    process.kill(Number(readFileSync(join(dir, "child"), "utf8")), "SIGKILL");
  });
});

test("impersonation, and a name with a password", async () => {
  const impersonate = { user: "eve", uid: "7", groups: ["x"], extra: { "a/b": ["v"] } };
  const basic = { username: "u", password: "p" };
  expect((await credentials({ basic, impersonate }).current()).headers).toEqual({
    Authorization: `Basic ${Buffer.from("u:p").toString("base64")}`,
    "Impersonate-User": "eve",
    "Impersonate-Uid": "7",
    "Impersonate-Group": ["x"],
    "Impersonate-Extra-a%2Fb": ["v"],
  });
});
