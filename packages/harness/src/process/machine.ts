/** Which machine, which boot and which numbering of processes a record is about. */
import { execFileSync } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";

export interface MachineIdentity {
  /** Stays the same for the life of the installation. Null: this machine does not tell. */
  readonly machineId: string | null;
  /** Another one after each restart of the machine. Null: this machine does not tell. */
  readonly bootId: string | null;
  /** The PID namespace that process numbers belong to; "" where the platform has a single one. Null: cannot be read. */
  readonly pidNamespace: string | null;
}

export type MachineComparison =
  /** Same boot, same numbers: a record's processes can be looked up. */
  | "same"
  /** Same machine, another boot: nothing that ran at the record runs now. */
  | "rebooted"
  /** Same boot, but a process number means another process here. */
  | "otherNamespace"
  | "otherMachine"
  /** Too little is known on one of the sides. */
  | "cannotTell";

/** A recorded machine against the present one. What is not known never counts as equal where it decides. */
export function compareMachines(recorded: MachineIdentity, present: MachineIdentity): MachineComparison {
  const machineKnown = recorded.machineId !== null && present.machineId !== null;
  if (machineKnown && recorded.machineId !== present.machineId) return "otherMachine";
  if (recorded.bootId === null || present.bootId === null) return "cannotTell";
  // A boot id is random: an equal one is the same kernel, whether it tells a machine id or not.
  if (recorded.bootId !== present.bootId) return machineKnown ? "rebooted" : "cannotTell";
  if (recorded.pidNamespace === null || present.pidNamespace === null) return "cannotTell";
  return recorded.pidNamespace === present.pidNamespace ? "same" : "otherNamespace";
}

/** What this machine tells about itself; on an unknown platform nothing. Never throws. On macOS it runs two small programs. */
export function machineIdentity(platform: NodeJS.Platform = process.platform): MachineIdentity {
  switch (platform) {
    case "linux": {
      const id = firstLine("/etc/machine-id") ?? firstLine("/var/lib/dbus/machine-id");
      return {
        // systemd writes this word into images that get an id of their own at the first boot.
        machineId: id === "uninitialized" ? null : id,
        bootId: firstLine("/proc/sys/kernel/random/boot_id"),
        pidNamespace: readable(() => readlinkSync("/proc/self/ns/pid")),
      };
    }
    case "darwin":
      return {
        machineId: platformUuid(output("/usr/sbin/ioreg", ["-rd1", "-c", "IOPlatformExpertDevice"])),
        bootId: output("/usr/sbin/sysctl", ["-n", "kern.bootsessionuuid"]).trim() || null,
        pidNamespace: "",
      };
    default:
      return { machineId: null, bootId: null, pidNamespace: null };
  }
}

/** The hardware's UUID out of what `ioreg -rd1 -c IOPlatformExpertDevice` prints, or null. */
export function platformUuid(registry: string): string | null {
  return /"IOPlatformUUID"\s*=\s*"([0-9A-Fa-f-]{36})"/.exec(registry)?.[1] ?? null;
}

function firstLine(path: string): string | null {
  return (
    readable(() => readFileSync(path, "utf8"))
      ?.split("\n")[0]
      ?.trim() || null
  );
}

function output(command: string, args: readonly string[]): string {
  return readable(() => execFileSync(command, [...args], { encoding: "utf8", timeout: 5_000, stdio: "pipe" })) ?? "";
}

function readable<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
