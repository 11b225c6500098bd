/** The texts of the units that have a user manager run `moorage keep`: systemd's and launchd's. */

export interface UnitSpec {
  /** Tells two units apart: eight hex digits. */
  readonly id: string;
  readonly description: string;
  readonly command: readonly string[];
  readonly directory: string;
  /** As it was at install: a manager's own PATH is short, and it knows no KUBECONFIG. */
  readonly environment: Readonly<Record<string, string>>;
  /** Milliseconds: the largest grace of the agents. */
  readonly longestGraceMs: number;
}

/** Beyond the largest grace, in seconds: a stop of the unit must never cut an agent's own stop short. */
export const unitMarginSeconds = 30;

export function systemdName(id: string): string {
  return `moorage-keep-${id}.service`;
}

export function launchdLabel(id: string): string {
  return `dev.moorage.keep-${id}`;
}

/** How long a manager may take for a stop, in seconds. */
function stopSeconds(longestGraceMs: number): number {
  return Math.ceil(longestGraceMs / 1000) + unitMarginSeconds;
}

/** systemd.service(5). `KillMode=process`: agents and their supervisors live on when keep ends or restarts. */
export function systemdUnit(spec: UnitSpec): string {
  return `# Written by \`moorage keep --install\`; that writes it anew.
[Unit]
Description=${systemdText(spec.description)}
StartLimitIntervalSec=0

[Service]
ExecStart=${spec.command.map(systemdWord).join(" ")}
WorkingDirectory=${systemdText(spec.directory)}
${Object.entries(spec.environment)
  .map(([name, value]) => `Environment=${systemdWord(`${name}=${value}`)}`)
  .join("\n")}
Restart=on-failure
RestartSec=10
# A wrong declaration or a refusal does not mend itself.
RestartPreventExitStatus=2 4
SuccessExitStatus=130
KillMode=process
TimeoutStopSec=${stopSeconds(spec.longestGraceMs)}
OOMPolicy=continue

[Install]
WantedBy=default.target
`;
}

/** launchd.plist(5). `AbandonProcessGroup`: what systemd calls KillMode=process. */
export function launchdPlist(spec: UnitSpec): string {
  const strings = (words: readonly string[]): string =>
    words.map((word) => `    <string>${xml(word)}</string>`).join("\n");
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- Written by \`moorage keep --install\`; that writes it anew. -->
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${xml(launchdLabel(spec.id))}</string>
  <key>ProgramArguments</key>
  <array>
${strings(spec.command)}
  </array>
  <key>WorkingDirectory</key>
  <string>${xml(spec.directory)}</string>
  <key>EnvironmentVariables</key>
  <dict>
${Object.entries(spec.environment)
  .map(([name, value]) => `    <key>${xml(name)}</key>\n    <string>${xml(value)}</string>`)
  .join("\n")}
  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>AbandonProcessGroup</key>
  <true/>
  <key>ExitTimeOut</key>
  <integer>${stopSeconds(spec.longestGraceMs)}</integer>
</dict>
</plist>
`;
}

/** One word of a command line: quoted, with specifiers and variables taken literally. */
function systemdWord(word: string): string {
  return `"${word.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("%", "%%").replaceAll("$", "$$$$")}"`;
}

function systemdText(text: string): string {
  return text.replaceAll("%", "%%");
}

function xml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
