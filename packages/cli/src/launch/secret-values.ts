/** The values of an agent's secret environment, read from the caller's environment and from files; all that is missing is told at once. */
import { readFileSync, statSync } from "node:fs";
import type { DeclaredAgent, ValueSource } from "../declaration/agent.ts";
import type { Fault } from "../declaration/names.ts";
import { environmentFault, envValueFault } from "../declaration/names.ts";
import { CliError } from "../errors/cli-error.ts";

export interface SecretValues {
  /** What the agent gets beside its plain environment, by variable. */
  readonly values: ReadonlyMap<string, string>;
  /** The identity key, where the identity is one. */
  readonly key: string | null;
  readonly warnings: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;
type Reading =
  | { readonly kind: "value"; readonly value: string; readonly warning: string | null }
  | ({ readonly kind: "fault" } & Fault);

/** `missing`: there is no value to use at all. */
type SecretFault = Fault & { readonly key: string; readonly missing: boolean };

/** Bytes. A secret value is at most as long as a process can be given. */
const largest = 1024 * 1024;

/**
 * Reads all values. `own` is the agent's own environment when the call comes from inside the agent: there a value is
 * under the name that the agent knows it by. Throws `secretMissing`, or `secretInvalid` when all
 * are there and one cannot be used, exit 2; no value is in either.
 */
export function readSecretValues(agent: DeclaredAgent, environment: Environment, own: Environment = {}): SecretValues {
  const values = new Map<string, string>();
  const faults: SecretFault[] = [];
  const warnings: string[] = [];
  const take = (key: string, source: ValueSource): string | null => {
    const reading = read(source, environment, own[key]);
    const fault = reading.kind === "fault" ? reading : envValueFault(key, reading.value);
    const missing = reading.kind === "fault";
    if (fault !== null) faults.push({ key, missing, message: fault.message, hint: fault.hint });
    if (reading.kind === "fault") return null;
    if (reading.warning !== null) warnings.push(`${agent.name}: ${reading.warning}`);
    return reading.value;
  };
  for (const [key, source] of agent.secretEnv) {
    const value = take(key, source);
    if (value !== null) values.set(key, value);
  }
  for (const key of agent.passEnv) {
    const value = environment[key] ?? own[key];
    if (value === undefined) continue;
    const fault = envValueFault(key, value);
    if (fault !== null) faults.push({ key, missing: false, ...fault });
    values.set(key, value);
  }
  const { identity } = agent;
  const key = identity.kind === "key" ? take(identity.as ?? "identity.keyFrom", identity.from) : null;
  if (identity.kind === "key" && identity.as !== null && key !== null) values.set(identity.as, key.trim());
  if (faults.length > 0) throw faultsOf(agent, faults);
  const whole = environmentFault([...Object.entries(agent.env), ...values]);
  if (whole !== null) throw faultsOf(agent, [{ key: "", missing: false, ...whole }]);
  return { values, key, warnings };
}

function read(source: ValueSource, environment: Environment, own: string | undefined): Reading {
  if (source.kind === "file") return readFile(source.path, source.shown);
  const value = environment[source.name] ?? own;
  if (value !== undefined && value !== "") return { kind: "value", value, warning: null };
  const state = value === undefined ? "not set" : "empty";
  return { kind: "fault", message: `${source.name} is ${state}`, hint: `run \`export ${source.name}=…\` first` };
}

function readFile(path: string, shown: string): Reading {
  try {
    const stats = statSync(path);
    if (!stats.isFile()) return { kind: "fault", message: `${shown} is no file`, hint: "name a regular file" };
    if (stats.size > largest)
      return {
        kind: "fault",
        message: `${shown} is ${stats.size} bytes long`,
        hint: "name the file that holds the value",
      };
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(path));
    const value = text.replace(/\r?\n$/, "");
    if (value === "") return { kind: "fault", message: `${shown} is empty`, hint: "write the value into it" };
    const others = stats.mode & 0o077;
    const warning = others === 0 ? null : `others may read the secret in ${shown}: run \`chmod 600 ${shown}\``;
    return { kind: "value", value, warning };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (code === "ENOENT" || code === "ENOTDIR")
      return { kind: "fault", message: `${shown} is not there`, hint: "write the value into that file, mode 600" };
    if (error instanceof TypeError)
      return { kind: "fault", message: `${shown} is not UTF-8`, hint: "an environment holds text: encode the value" };
    return { kind: "fault", message: `${shown} cannot be read (${code})`, hint: `run \`chmod u+r ${shown}\`` };
  }
}

function faultsOf(agent: DeclaredAgent, faults: readonly SecretFault[]): CliError {
  const lines = faults.map(({ key, message }) => `${key === "" ? "" : `${key}: `}${message}`);
  return new CliError({
    code: faults.some(({ missing }) => missing) ? "secretMissing" : "secretInvalid",
    message: `${agent.name}: ${lines.join("; ")}`,
    hint: faults.map(({ hint }) => hint).join("; "),
    details: { agent: agent.name, secrets: faults.map(({ key, message, hint }) => ({ key, message, hint })) },
  });
}
