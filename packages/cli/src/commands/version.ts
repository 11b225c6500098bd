/** `moorage version`: its own version, and with --json what a bug report wants. */
import type { Run } from "../args/command-spec.ts";

export const version: Run = (_invocation, host) => {
  const { output } = host;
  if (output.json)
    output.object("Version", {
      version: host.version,
      node: process.version,
      platform: process.platform,
      arch: process.arch,
    });
  else output.write(`moorage ${host.version}\n`);
  return Promise.resolve(0);
};
