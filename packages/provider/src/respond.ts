/** One request, one answer: whatever happens on the way is an answer too, and no secret of the request is in it. */
import { redactor } from "@moorage/core";
import type { Answer } from "./answer.ts";
import type { Surroundings } from "./deploy.ts";
import { info } from "./info.ts";
import { Refused } from "./refused.ts";
import { readDeployRequest, readOperation } from "./request.ts";
import { secretsIn } from "./secrets-in.ts";

/** Never rejects. `begin` is told the request's secret values before anything is reached. */
export async function respond(
  bytes: Uint8Array,
  around: Omit<Surroundings, "journal"> & { readonly begin: (secrets: readonly string[]) => Surroundings["journal"] },
): Promise<Answer> {
  let secrets: readonly string[] = [];
  try {
    const operation = readOperation(bytes);
    if (operation.op === "info") return info(around.random);
    secrets = secretsIn(operation.request);
    const request = readDeployRequest(operation.request);
    const { deploy } = await import("./deploy.ts");
    return redacted(await deploy(request, { ...around, journal: around.begin(secrets) }), secrets);
  } catch (error) {
    return redacted({ ok: false, error: textOf(error) }, secrets);
  }
}

function redacted(answer: Answer, secrets: readonly string[]): Answer {
  return answer.ok ? answer : { ...answer, error: redactor(secrets)(answer.error) };
}

function textOf(error: unknown): string {
  if (error instanceof Refused) return error.message;
  if (error instanceof Error && "hint" in error && typeof error.hint === "string")
    return `${error.message}; ${withoutCommand(error.hint)}`;
  return `a fault of the provider itself: ${error instanceof Error ? error.message : String(error)}`;
}

/** The command of Moorage is not there for whoever has only this provider. */
function withoutCommand(hint: string): string {
  return hint.includes("moorage ") ? "check the network and the kubeconfig" : hint;
}
