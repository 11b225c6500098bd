/** What the harness in a pod is told by its environment, read and checked in one piece before anything is started. */
import type { HealthSource } from "./health.ts";

export interface PodSettings {
  readonly agent: string;
  readonly instance: string;
  readonly attempt: string;
  readonly command: readonly [string, ...string[]];
  readonly drainMs: number;
  /** From the request to end until everything is killed: less than the platform's own grace, and more than `drainMs`. */
  readonly graceMs: number;
  readonly idleMs: number | null;
  readonly health: HealthSource;
  readonly workspace: string;
  /** Where the image has the agent's files, which is its working directory; null: the container's own. */
  readonly directory: string | null;
  /** Where the image has the agent's catalog. */
  readonly catalog: string | null;
  /** The agent's environment: all but what is the harness's own. */
  readonly env: Readonly<Record<string, string>>;
}

export interface Mistake {
  readonly variable: string;
  /** Says what is wrong with it. Of its value it repeats paths alone. */
  readonly what: string;
}

export type PodReading =
  | { readonly kind: "read"; readonly settings: PodSettings }
  | { readonly kind: "wrong"; readonly mistakes: readonly Mistake[] };

type Environment = Readonly<Record<string, string | undefined>>;

const own: ReadonlySet<string> = new Set([
  "MOORAGE_COMMAND",
  "MOORAGE_DIRECTORY",
  "MOORAGE_DRAIN_MS",
  "MOORAGE_GRACE_MS",
  "MOORAGE_HEALTH",
  "MOORAGE_IDLE_MS",
]);

/** What is killed has to be gone, and its end told, before the platform kills the container: milliseconds. */
const endingMs = 2_000;

/** Every mistake at once. */
export function readPodSettings(env: Environment): PodReading {
  const mistakes: Mistake[] = [];
  const wrong = (variable: string, what: string): void => void mistakes.push({ variable, what });
  const text = (variable: string): string => {
    const value = env[variable] ?? "";
    if (value === "") wrong(variable, "is not set");
    return value;
  };
  const milliseconds = (variable: string): number => {
    const value = text(variable);
    if (value !== "" && !/^\d{1,12}$/.test(value)) wrong(variable, "is not a whole number of milliseconds");
    return Number(value);
  };
  const absolute = (variable: string, value: string | undefined): string | null => {
    if (value === undefined || value === "") return null;
    if (!value.startsWith("/")) wrong(variable, "is not an absolute path");
    return value;
  };

  const command = commandOf(text("MOORAGE_COMMAND"), (what) => wrong("MOORAGE_COMMAND", what));
  const drainMs = milliseconds("MOORAGE_DRAIN_MS");
  const graceMs = milliseconds("MOORAGE_GRACE_MS");
  const idleMs = env["MOORAGE_IDLE_MS"] === undefined ? null : milliseconds("MOORAGE_IDLE_MS");
  const health = healthOf(text("MOORAGE_HEALTH"), (what) => wrong("MOORAGE_HEALTH", what));
  const workspace = text("MOORAGE_WORKSPACE");
  const settings = {
    agent: text("MOORAGE_AGENT"),
    instance: text("MOORAGE_INSTANCE"),
    attempt: text("MOORAGE_ATTEMPT"),
    drainMs,
    graceMs: graceMs - Math.min(endingMs, Math.floor((graceMs - drainMs) / 2)),
    idleMs,
    health,
    workspace: absolute("MOORAGE_WORKSPACE", workspace) ?? "",
    directory: absolute("MOORAGE_DIRECTORY", env["MOORAGE_DIRECTORY"]),
    catalog: absolute("MOORAGE_CATALOG", env["MOORAGE_CATALOG"]),
    env: agentEnvironment(env),
  };
  // Of numbers that were not read nothing more is said.
  if (graceMs < drainMs + 2 && !mistakes.some(({ variable }) => /_(?:DRAIN|GRACE)_MS$/.test(variable)))
    wrong("MOORAGE_GRACE_MS", "is not more than MOORAGE_DRAIN_MS, which it contains");
  if (idleMs === 0 && env["MOORAGE_IDLE_MS"] !== "")
    wrong("MOORAGE_IDLE_MS", "is 0, which would end the agent at once; without a limit it is not set");
  if (mistakes.length > 0 || command === null) return { kind: "wrong", mistakes };
  return { kind: "read", settings: { ...settings, command } };
}

function agentEnvironment(env: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined && !own.has(entry[0])),
  );
}

function commandOf(text: string, wrong: (what: string) => void): readonly [string, ...string[]] | null {
  if (text === "") return null;
  const value = parsed(text);
  if (
    !Array.isArray(value) ||
    !value.every((word): word is string => typeof word === "string" && !word.includes("\0"))
  ) {
    wrong("is not a JSON array of strings");
    return null;
  }
  const [program, ...args] = value;
  if (program === undefined || program === "") {
    wrong("names no command: the declaration needs run.command");
    return null;
  }
  return [program, ...args];
}

function healthOf(text: string, wrong: (what: string) => void): HealthSource {
  const none: HealthSource = { kind: "none" };
  if (text === "") return none;
  const value = parsed(text);
  if (typeof value === "object" && value !== null && "kind" in value) {
    if (value.kind === "none" || value.kind === "socket") return { kind: value.kind };
    const { path, maxAgeMs } = value as { readonly path?: unknown; readonly maxAgeMs?: unknown };
    if (
      value.kind === "file" &&
      typeof path === "string" &&
      path !== "" &&
      typeof maxAgeMs === "number" &&
      maxAgeMs > 0
    )
      return { kind: "file", path, maxAgeMs };
  }
  wrong('is none of {"kind":"none"}, {"kind":"socket"}, {"kind":"file","path":…,"maxAgeMs":…}');
  return none;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
