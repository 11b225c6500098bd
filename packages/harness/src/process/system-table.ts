/** The process table of the platform that this runs on, and how a signal is sent there. */
import { darwinProcessTable } from "./darwin-table.ts";
import type { Kill } from "./end-tree.ts";
import { linuxProcessTable } from "./linux-table.ts";
import type { ProcessTable } from "./process-table.ts";

/** Elsewhere than on Linux and macOS nothing can be read, hence nothing is ever ended. */
export function processTable(platform: NodeJS.Platform = process.platform): ProcessTable {
  switch (platform) {
    case "linux":
      return linuxProcessTable();
    case "darwin":
      return darwinProcessTable();
    default: {
      const unreadable = { kind: "unreadable", detail: `processes cannot be told apart on ${platform}` } as const;
      return {
        self: process.pid,
        hidesEnvironments: true,
        scan: async () => unreadable,
        look: async () => unreadable,
        usage: async () => new Map(),
      };
    }
  }
}

export const killProcess: Kill = (pid, signal) => {
  // To kill(2), 0 is the caller's own group and -1 everybody; 1 is everybody's parent.
  if (!Number.isInteger(pid) || Math.abs(pid) <= 1) return "denied";
  try {
    process.kill(pid, signal);
    return "sent";
  } catch (fault) {
    return (fault as NodeJS.ErrnoException).code === "ESRCH" ? "gone" : "denied";
  }
};
