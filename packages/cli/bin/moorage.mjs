#!/usr/bin/env node
// Starts the command straight from the sources, under this Node if it is new enough and otherwise under the checkout's own.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import module from "node:module";
import { constants } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const oldest = 24;
const root = fileURLToPath(new URL("../../../", import.meta.url));
const ownNode = join(root, "node_modules", "node", "bin", "node");

if (Number.parseInt(process.versions.node, 10) >= oldest) {
  module.enableCompileCache(join(root, "node_modules", ".cache", "moorage"));
  await import("../src/main.ts");
} else if (process.platform !== "win32" && existsSync(ownNode)) {
  startAgain();
} else {
  process.stderr.write(
    `moorage: Node ${oldest} or newer is needed, and this is ${process.version}.\n` +
      `hint: run \`npm ci\` in ${root}, which brings its own Node along.\n`,
  );
  process.exitCode = 2;
}

/** Hands everything over: arguments, streams, signals and the way it ends. What it starts finds the same Node. */
function startAgain() {
  const PATH = [dirname(ownNode), process.env.PATH].filter(Boolean).join(delimiter);
  const script = fileURLToPath(import.meta.url);
  const child = spawn(ownNode, [...process.execArgv, script, ...process.argv.slice(2)], {
    stdio: "inherit",
    env: { ...process.env, PATH },
  });
  // A terminal tells its whole process group of Ctrl-C: passed on as well, one Ctrl-C would count as two.
  const terminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
  for (const signal of ["SIGINT", "SIGQUIT", "SIGTERM", "SIGHUP", "SIGUSR2"])
    process.on(signal, () => {
      if (!(terminal && (signal === "SIGINT" || signal === "SIGQUIT"))) child.kill(signal);
    });
  child.on("error", (error) => {
    process.stderr.write(`moorage: the checkout's own Node does not start: ${error.message}\nhint: run \`npm ci\`.\n`);
    process.exitCode = 1;
  });
  child.on("exit", (code, signal) => {
    if (signal === null) {
      process.exitCode = code ?? 1;
      return;
    }
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
    process.exitCode = 128 + constants.signals[signal];
  });
}
