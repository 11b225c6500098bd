#!/usr/bin/env node
// Starts the provider straight from the sources, under this Node if it is new enough and otherwise under the checkout's own.
import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeSync } from "node:fs";
import module from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const oldest = 24;
const root = fileURLToPath(new URL("../../../", import.meta.url));
const ownNode = join(root, "node_modules", "node", "bin", "node");

if (Number.parseInt(process.versions.node, 10) >= oldest) {
  module.enableCompileCache(join(root, "node_modules", ".cache", "moorage"));
  await import("../src/main.ts");
} else if (existsSync(ownNode)) {
  const child = spawn(ownNode, [fileURLToPath(import.meta.url)], { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("error", () => refuse());
  child.on("exit", (code) => process.exit(code ?? 1));
} else refuse();

/** In the protocol's own form, once whoever asks has written all of the request. */
function refuse() {
  try {
    readFileSync(0);
  } catch {
    // Then nobody asks.
  }
  const error = `Node ${oldest} or newer is needed, and this is ${process.version}: install it, or put it first on PATH`;
  writeSync(1, `${JSON.stringify({ ok: false, error })}\n`);
  process.exit(0);
}
