/** `moorage doctor`: checks machine and state, or the way to a cluster and its rights, and the declaration; changes nothing, and says how to repair. */
import type { Invocation, Run } from "../args/command-spec.ts";
import type { Check } from "../doctor/check.ts";
import { ok, problem } from "../doctor/check.ts";
import { machineChecks } from "../doctor/machine-checks.ts";
import { stateChecks } from "../doctor/state-checks.ts";
import { exit } from "../errors/exit-code.ts";
import { reportOf } from "../errors/report.ts";
import type { Host } from "../host.ts";
import type { Style } from "../output/output.ts";
import { substrateOf } from "../scope/substrate-of.ts";
import { declaredIfAny } from "../selection.ts";

/** Exit 4 when something is a problem: a person is needed. */
export const doctor: Run = async (invocation, host) => {
  const { output } = host;
  const place =
    substrateOf(invocation.flags) === "local"
      ? [...machineChecks(host.env), ...(await stateChecks(invocation, host))]
      : await import("../doctor/cluster-checks.ts").then(({ clusterChecks }) => clusterChecks(invocation, host));
  const checks = [...place, ...(await declarationChecks(invocation, host))];
  if (output.json) output.object("DoctorResult", { checks });
  for (const { name, state, message, hint } of checks) {
    output.line(`${output.style(styles[state], marks[state])} ${name}: ${message}`);
    if (hint !== null) output.line(`    → ${hint}`);
  }
  return checks.some(({ state }) => state === "problem") ? exit.refused : exit.ok;
};

const marks: Readonly<Record<Check["state"], string>> = { ok: "✓", note: "·", warning: "!", problem: "✗" };
const styles: Readonly<Record<Check["state"], Style>> = { ok: "green", note: "dim", warning: "yellow", problem: "red" };

async function declarationChecks(invocation: Invocation, { cwd }: Host): Promise<Check[]> {
  try {
    const agents = await declaredIfAny(invocation, cwd);
    return agents.length === 0 ? [] : [ok("declaration", `declares ${agents.map(({ name }) => name).join(", ")}`)];
  } catch (error) {
    const { message, hint } = reportOf(error);
    return [problem("declaration", message, hint)];
  }
}
