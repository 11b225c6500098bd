import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Place } from "./scope.fixture.ts";
import { makePlace, patience, startTestAgent, testAgent } from "./scope.fixture.ts";
import { findTransientScope } from "./transient-scope.ts";

vi.setConfig(patience);

let runtimeDir: string;

beforeEach(() => {
  runtimeDir = realpathSync(mkdtempSync(join(tmpdir(), "mr-")));
});

afterEach(() => rmSync(runtimeDir, { recursive: true, force: true }));

function pretendManager(): void {
  mkdirSync(join(runtimeDir, "systemd"));
  writeFileSync(join(runtimeDir, "systemd", "private"), "");
}

it("is not asked for where the user has no manager", () => {
  expect(findTransientScope(runtimeDir)).toBeNull();
});

describe.runIf(process.platform === "linux")("with a manager", () => {
  let place: Place;
  beforeEach(() => {
    place = makePlace();
    pretendManager();
  });
  afterEach(() => place.clear());

  it.each([
    ["takes the supervisor in", 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"'],
    ["refuses, and the supervisor is booted without it", "exit 1"],
  ])("%s", async (_name, script) => {
    const bin = join(runtimeDir, "bin");
    mkdirSync(bin);
    const asked = join(runtimeDir, "asked");
    writeFileSync(join(bin, "systemd-run"), `#!/bin/sh\necho "$XDG_RUNTIME_DIR" > ${asked}\n${script}\n`);
    chmodSync(join(bin, "systemd-run"), 0o755);
    const path = [bin, process.env["PATH"] ?? ""].join(delimiter);
    const scope = await place.open({
      systemdScope: true,
      runtimeDir,
      launchEnv: { PATH: path, HOME: place.directory, TMPDIR: place.directory },
    });
    await startTestAgent(scope, testAgent("scribe", ["sleep", "1000"]));
    expect(existsSync(asked)).toBe(true);
  });
});
