/** The entry point of the command: the only file that reads the process's arguments, environment, streams and signals. */
import { readFileSync } from "node:fs";

const argv = process.argv.slice(2);

/** The version of this package; from sources and from the bundle alike it stands one folder up. */
function ownVersion(): string {
  const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string };
  return manifest.version;
}

if (argv.length === 1 && (argv[0] === "version" || argv[0] === "--version")) {
  // Without anything of the rest: it is what scripts ask for most.
  process.stdout.once("error", () => {
    process.exitCode = 1;
  });
  process.stdout.write(`moorage ${ownVersion()}\n`);
} else {
  const interrupt = new AbortController();
  const onSignal = (): void => {
    if (interrupt.signal.aborted) process.exit(130);
    interrupt.abort();
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, onSignal);
  const { runCommandLine } = await import("./run.ts");
  process.exitCode = await runCommandLine({
    argv,
    env: process.env,
    cwd: () => process.cwd(),
    stdout: process.stdout,
    stderr: process.stderr,
    interrupt: interrupt.signal,
    version: ownVersion(),
    command: [process.execPath, ...process.execArgv, process.argv[1] ?? ""],
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.removeListener(signal, onSignal);
}
