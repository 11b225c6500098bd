// The rare ways to a cluster, by the real client library: it signs in, it goes through a proxy, and its texts are never told.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { Server } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { RareSignIn } from "./cluster-access.ts";
import { Credentials } from "./credentials.ts";
import { accessTo, makePki, startServer } from "./misbehaving-server.fixture.ts";
import { openRareSignIn } from "./rare-access.ts";
import { Transport } from "./transport.ts";

let dir = "";

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "rare-"));
});

afterEach(() => rmSync(dir, { recursive: true, force: true }));

function provider(name: string, config: Readonly<Record<string, string>>): RareSignIn {
  return { what: `the auth provider "${name}"`, user: { authProvider: { name, config: { ...config } } } };
}

function script(name: string, text: string): string {
  const path = join(dir, name);
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
  return path;
}

/** A token as OpenID Connect has them, good until `end` (seconds since 1970). */
function tokenUntil(end: number): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${part({ alg: "none" })}.${part({ exp: end })}.c2lnbmVk`;
}

async function signIn(rare: RareSignIn) {
  return (await openRareSignIn(rare, "ada"))();
}

describe("signing in", () => {
  test("an auth provider's command gives a token, with its end", async () => {
    const command = script(
      "gcloud",
      `echo '{"credential": {"access_token": "fresh", "expiry": "2099-01-01T00:00:00Z"}}'`,
    );
    const credential = await signIn(
      provider("gcp", {
        "access-token": "old",
        expiry: "2001-01-01T00:00:00Z",
        "cmd-path": command,
        "token-key": "{.credential.access_token}",
        "expiry-key": "{.credential.expiry}",
      }),
    );
    expect(credential).toMatchObject({ token: "fresh", certificate: null });
  });

  test("a token that is still good is used until its own end", async () => {
    const end = Math.floor(Date.now() / 1000) + 3_600;
    const token = tokenUntil(end);
    expect(await signIn(provider("oidc", { "id-token": token }))).toEqual({
      token,
      certificate: null,
      expiresAt: end * 1000,
    });
  });

  test("one that is over, and that nothing renews, is told", async () => {
    await expect(signIn(provider("oidc", { "id-token": tokenUntil(1) }))).rejects.toMatchObject({
      code: "signInFailed",
      message: expect.stringContaining('the auth provider "oidc"'),
    });
  });

  test("a plugin of an old version gives a certificate", async () => {
    const command = script("old", `echo '{"status": {"clientCertificateData": "C", "clientKeyData": "K"}}'`);
    expect(await signIn({ what: "the plugin", user: { exec: { command, args: [], env: [] } } })).toEqual({
      token: null,
      certificate: { certificate: Buffer.from("C"), key: Buffer.from("K") },
      expiresAt: null,
    });
  });

  test("what it printed when it failed is not told", async () => {
    const command = script("broken", "echo secret-token; exit 3");
    const error = await signIn(provider("azure", { "cmd-path": command, "cmd-args": "--key secret-token" })).then(
      () => new Error("it was accepted"),
      (fault: unknown) => fault as Error,
    );
    expect(error.message).toBe('ada cannot sign in through the auth provider "azure"');
    expect(JSON.stringify({ ...error })).not.toContain("secret-token");
    expect(error.cause).toBeUndefined();
  });
});

test("a request carries what the auth provider gave", async () => {
  const server = await startServer((_, response) => void response.end("{}"));
  const access = accessTo(server.server, { rare: provider("gcp", { "access-token": "abc" }) });
  const transport = new Transport(access, new Credentials(access, { env: {}, now: Date.now }));
  try {
    expect(await transport.send({ method: "GET", path: "/x" })).toMatchObject({ status: 200 });
    expect(server.received[0]?.headers["authorization"]).toBe("Bearer abc");
  } finally {
    transport.close();
    await server.end();
  }
});

describe("a proxy", () => {
  let proxy: Server;
  let asked: string[] = [];
  const sockets = new Set<Socket>();

  beforeEach(async () => {
    asked = [];
    proxy = createServer();
    proxy.on("connect", (request, socket: Socket) => {
      asked.push(request.url ?? "");
      const [host = "", port = ""] = (request.url ?? "").split(":");
      const upstream = connect(Number(port), host, () => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        upstream.pipe(socket);
        socket.pipe(upstream);
      });
      for (const one of [socket, upstream]) {
        sockets.add(one);
        one.on("error", () => {});
      }
    });
    await new Promise<void>((resolve) => void proxy.listen(0, "127.0.0.1", resolve));
  });

  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
    await new Promise((resolve) => void proxy.close(resolve));
  });

  const address = (): string => `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;

  test("leads to the API server, whose certificate is looked at, over one connection", async () => {
    const pki = makePki();
    const server = await startServer((_, response) => void response.end("{}"), pki);
    const access = { ...accessTo(server.server, {}, pki.authority), proxy: address() };
    const transport = new Transport(access, new Credentials(access, { env: {}, now: Date.now }));
    const stranger = { ...accessTo(server.server, {}), proxy: address() };
    const distrusting = new Transport(stranger, new Credentials(stranger, { env: {}, now: Date.now }));
    try {
      for (const path of ["/1", "/2", "/3"])
        expect(await transport.send({ method: "GET", path })).toMatchObject({ status: 200 });
      expect(asked).toEqual([new URL(server.server).host]);
      expect(server.connections()).toBe(1);
      expect(await distrusting.send({ method: "GET", path: "/4" })).toMatchObject({ kind: "notSent", lasting: true });
      expect(server.received).toHaveLength(3);
    } finally {
      transport.close();
      distrusting.close();
      await server.end();
    }
  });

  test("that is not there is named, and nothing is sent", async () => {
    const access = { ...accessTo("https://127.0.0.1:1"), proxy: "http://me:secret@127.0.0.1:2" };
    const transport = new Transport(access, new Credentials(access, { env: {}, now: Date.now }));
    const answer = await transport.send({ method: "GET", path: "/" });
    transport.close();
    expect(answer).toMatchObject({ kind: "notSent", detail: expect.stringContaining("through the proxy 127.0.0.1:2") });
    expect(JSON.stringify(answer)).not.toContain("secret");
  });
});
