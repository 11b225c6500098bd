/** `moorage keep --install`: writes the unit, has the user's manager start it, and says whether it outlives a logout. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { sha256 } from "@moorage/keys";
import type { Invocation } from "../args/command-spec.ts";
import type { DeclaredAgent } from "../declaration/agent.ts";
import { CliError } from "../errors/cli-error.ts";
import { exit } from "../errors/exit-code.ts";
import type { Host } from "../host.ts";
import { stateDir } from "../scope/local-scope.ts";
import { scopeFlags, substrateOf } from "../scope/substrate-of.ts";
import type { UnitSpec } from "./units.ts";
import { launchdLabel, launchdPlist, systemdName, systemdUnit } from "./units.ts";
import { ask, lingers, systemdFault } from "./user-manager.ts";

/** Throws `noUserManager` (exit 4) where there is none, with the way that works all the same. */
export function install(agents: readonly DeclaredAgent[], invocation: Invocation, host: Host): Promise<number> {
  checkSecrets(agents);
  const spec = unitSpec(agents, invocation, host);
  const home = host.env["HOME"] ?? "";
  const written = process.platform === "darwin" ? installLaunchd(spec, home, host) : installSystemd(spec, home, host);
  if (host.output.json)
    host.output.object("KeepInstalled", { unit: written.unit, file: written.file, warnings: written.warnings });
  else {
    host.output.line(`keep runs as ${written.unit}, written to ${written.file}`);
    host.output.progress(`  → \`${written.look}\` shows it`);
  }
  for (const warning of written.warnings) host.output.warn(warning);
  return Promise.resolve(exit.ok);
}

interface Written {
  readonly unit: string;
  readonly file: string;
  readonly look: string;
  readonly warnings: readonly string[];
}

function unitSpec(agents: readonly DeclaredAgent[], invocation: Invocation, host: Host): UnitSpec {
  const [first] = agents;
  if (first === undefined) throw new Error("there is nothing to install");
  const state = stateDir(invocation, host);
  const flags = scopeFlags({ ...invocation.flags, state });
  const kubeconfig = substrateOf(invocation.flags) === "kubernetes" ? host.env["KUBECONFIG"] : undefined;
  const named = invocation.flags["file"];
  const file = typeof named === "string" ? join(named.startsWith("/") ? "/" : host.cwd, named) : first.source;
  return {
    id: sha256.text([file, ...flags, ...invocation.words].join("\0")).slice(0, 8),
    description: `Moorage keeps ${agents.map(({ name }) => name).join(", ")} of ${file}`,
    command: [...host.command, "keep", ...invocation.words, `--file=${file}`, ...flags],
    directory: first.directory,
    environment: {
      PATH: host.env["PATH"] ?? "",
      ...(kubeconfig === undefined || kubeconfig === "" ? {} : { KUBECONFIG: kubeconfig }),
    },
    longestGraceMs: Math.max(...agents.map(({ graceMs }) => graceMs)),
  };
}

function installSystemd(spec: UnitSpec, home: string, { env }: Host): Written {
  const fault = systemdFault(env);
  if (fault !== null) throw noManager(`no systemd user manager can be reached from here: ${fault}`, spec);
  const unit = systemdName(spec.id);
  const file = join(env["XDG_CONFIG_HOME"] ?? join(home, ".config"), "systemd", "user", unit);
  writeUnit(file, systemdUnit(spec));
  for (const args of [["daemon-reload"], ["enable", unit], ["restart", unit]]) {
    const answer = ask(env, "systemctl", "--user", ...args);
    if (!answer.ok) throw noManager(`systemctl --user ${args.join(" ")} failed: ${answer.detail}`, spec);
  }
  const warnings =
    lingers(env) === true
      ? []
      : ["you do not linger: keep and all agents may end when you log out; `loginctl enable-linger` changes that"];
  return { unit, file, look: `systemctl --user status ${unit}`, warnings };
}

function installLaunchd(spec: UnitSpec, home: string, { env }: Host): Written {
  const unit = launchdLabel(spec.id);
  const file = join(home, "Library", "LaunchAgents", `${unit}.plist`);
  const domain = `gui/${process.getuid?.() ?? 0}`;
  const session = ask(env, "launchctl", "print", domain);
  if (!session.ok) throw noManager(`no launchd session can be reached from here: ${session.detail}`, spec);
  writeUnit(file, launchdPlist(spec));
  ask(env, "launchctl", "bootout", `${domain}/${unit}`);
  const answer = ask(env, "launchctl", "bootstrap", domain, file);
  if (!answer.ok) throw noManager(`launchctl bootstrap failed: ${answer.detail}`, spec);
  const guarded = ["Documents", "Desktop", "Downloads"].find((folder) =>
    spec.directory.startsWith(`${join(home, folder)}/`),
  );
  const warnings =
    guarded === undefined
      ? []
      : [
          `macOS keeps background programs out of ~/${guarded}: grant Full Disk Access to ${spec.command[0] ?? "node"} in System Settings, Privacy & Security, or move the declaration`,
        ];
  return { unit, file, look: `launchctl print ${domain}/${unit}`, warnings };
}

function writeUnit(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  let known = "";
  try {
    known = readFileSync(file, "utf8");
  } catch {
    // It is not there yet.
  }
  if (known !== text) writeFileSync(file, text, { mode: 0o644 });
}

/** A manager has none of the variables of this shell. */
function checkSecrets(agents: readonly DeclaredAgent[]): void {
  const bound = agents.flatMap(({ name, secretEnv, identity }) => {
    const keys = [...secretEnv].filter(([, source]) => source.kind === "env").map(([key]) => key);
    if (identity.kind === "key" && identity.from.kind === "env") keys.push(identity.from.name);
    return keys.length === 0 ? [] : [`${name}: ${keys.join(", ")}`];
  });
  if (bound.length === 0) return;
  throw new CliError({
    code: "secretsFromEnvironment",
    message: `a user manager does not have the variables of this shell, and these secrets come from them: ${bound.join("; ")}`,
    hint: "declare them with { file: … }, mode 600, or run `moorage keep` in the foreground",
  });
}

function noManager(message: string, { command }: UnitSpec): CliError {
  const foreground = command
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
    .join(" ");
  return new CliError({
    code: "noUserManager",
    message,
    hint: `run it in the foreground, under whatever keeps programs here: \`${foreground}\``,
  });
}
