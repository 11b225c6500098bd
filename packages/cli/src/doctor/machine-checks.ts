/** What doctor looks at on the machine: Node, the platform, and what a login session does to agents. */
import { readFileSync } from "node:fs";
import { release } from "node:os";
import { lingers, systemdFault } from "../keep/user-manager.ts";
import type { Check } from "./check.ts";
import { note, ok, problem, warning } from "./check.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const oldestNode = 24;

export function machineChecks(env: Environment): Check[] {
  return [nodeCheck(), platformCheck(), ...(process.platform === "linux" ? [managerCheck(env)] : [])];
}

function nodeCheck(): Check {
  const major = Number.parseInt(process.versions.node, 10);
  return major >= oldestNode
    ? ok("node", `${process.version} at ${process.execPath}`)
    : problem("node", `${process.version} is too old`, `install Node ${oldestNode} or newer`);
}

function platformCheck(): Check {
  if (process.platform === "win32") return problem("platform", "Windows itself cannot run agents", "use WSL");
  if (process.platform !== "linux" && process.platform !== "darwin")
    return warning("platform", `${process.platform} was never tried`, "use Linux or macOS");
  if (/microsoft/i.test(release()))
    return warning(
      "platform",
      "WSL ends its machine some time after the last terminal closes, and all agents with it",
      "set vmIdleTimeout=-1 under [wsl2] in .wslconfig on the Windows side",
    );
  return ok("platform", `${process.platform} ${release()}, ${process.arch}`);
}

/** Whether agents outlive a logout. */
function managerCheck(env: Environment): Check {
  const fault = systemdFault(env);
  const inSession = sessionScope();
  if (fault !== null)
    return note(
      "user manager",
      `no systemd user manager can be reached (${fault})`,
      "`moorage keep` works in the foreground",
    );
  if (lingers(env) === true) return ok("user manager", "systemd runs for you, and goes on when you log out");
  return warning(
    "user manager",
    `you do not linger${inSession === null ? "" : ` and are in ${inSession}`}: agents may end when you log out`,
    "run `loginctl enable-linger`",
  );
}

/** The login session's scope that this process is in, which ends with the session where KillUserProcesses is set. */
function sessionScope(): string | null {
  try {
    return /session-[\w-]+\.scope/.exec(readFileSync("/proc/self/cgroup", "utf8"))?.[0] ?? null;
  } catch {
    return null;
  }
}
