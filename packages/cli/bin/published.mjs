#!/usr/bin/env node
// The first file of the published command: tells an old Node apart before it reads what it cannot parse, and keeps compiled code.
import module from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";

const oldest = 24;

if (Number.parseInt(process.versions.node, 10) >= oldest) {
  // In the user's own cache: compiled code in a directory that all users share could be anybody's.
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  module.enableCompileCache(process.env.NODE_COMPILE_CACHE ?? join(cache, "moorage"));
  await import("./main.js");
} else {
  process.stderr.write(
    `moorage: Node ${oldest} or newer is needed, and this is ${process.version}.\n` +
      `hint: install Node ${oldest}, or put it first on PATH.\n`,
  );
  process.exitCode = 2;
}
