import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Registration } from "./registry.ts";
import { heldElsewhere, openRegistry, openUsersRegistry, register, registryKey } from "./registry.ts";

let directory: string;

beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "mg-")));
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

const identity = "a".repeat(64);

function take(stateDir: string, isKey: boolean): Registration {
  return register({ directory }, registryKey(identity, isKey, stateDir), { stateDir, outputs: [] });
}

function release(registration: Registration): void {
  if (registration.kind !== "taken") throw new Error(registration.kind);
  registration.release();
}

it("a key is one wherever its state is, a name is one within its state directory", () => {
  const key = take("/one", true);
  expect(take("/two", true)).toEqual({ kind: "held", by: { stateDir: "/one", outputs: [] } });
  const name = take("/one", false);
  const other = take("/two", false);
  expect(take("/one", false)).toEqual({ kind: "held", by: { stateDir: "/one", outputs: [] } });
  for (const registration of [key, name, other]) release(registration);
  expect(readdirSync(directory)).toEqual([]);
  release(take("/two", true));
});

it("who asks is told of another state directory alone", () => {
  const registry = { directory };
  const key = registryKey(identity, true, "/one");
  expect(heldElsewhere(registry, key, "/two")).toBeNull();
  const taken = take("/one", true);
  expect(heldElsewhere(registry, key, "/two")?.stateDir).toBe("/one");
  expect(heldElsewhere(registry, key, "/one")).toBeNull();
  release(taken);
  expect(heldElsewhere(registry, key, "/two")).toBeNull();
});

it("what a killed supervisor left says nothing once its lock is free", () => {
  release(take("/one", true));
  mkdirSync(join(directory, "keys"));
  writeFileSync(join(directory, "keys", `${identity}.lock`), "");
  writeFileSync(join(directory, "keys", `${identity}.json`), JSON.stringify({ stateDir: "/one", outputs: ["/gone"] }));
  expect(heldElsewhere({ directory }, registryKey(identity, true, "/two"), "/two")).toBeNull();
  release(take("/two", true));
});

it("without a home that can be written, a state directory that is deleted and made again still gets no second copy", () => {
  const uid = process.getuid?.() ?? 0;
  for (const home of [null, "/proc/none", "/dev/null"]) {
    const temporaryDir = mkdtempSync(join(directory, "t"));
    const registry = openUsersRegistry({ home, temporaryDir, uid });
    expect(registry).toEqual({ directory: join(temporaryDir, `moorage-${uid}`, "identities") });
  }
  const home = join(directory, "home");
  expect(openUsersRegistry({ home, temporaryDir: directory, uid })?.directory).toMatch(home);
  expect(openUsersRegistry({ home: "/dev/null", temporaryDir: "/dev/null", uid })).toBeNull();
});

it("a place that cannot be written protects nobody, and stops nobody", () => {
  writeFileSync(join(directory, "keys"), "in the way");
  expect(take("/one", true)).toEqual({ kind: "impossible" });
  expect(openRegistry(join(directory, "keys", "below"))).toBeNull();
  expect(openRegistry(null)).toBeNull();
});
