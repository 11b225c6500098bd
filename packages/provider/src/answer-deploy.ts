/** A deploy's answer: every fault on the way is told in it, and no secret of the request is in it. */
import type { Abort } from "@moorage/core";
import { redactor } from "@moorage/core";
import { systemRandom } from "@moorage/keys";
import type { Answer } from "./answer.ts";
import { clientClock } from "./client-clock.ts";
import { deploy } from "./deploy.ts";
import { readDeployRequest } from "./deploy-request.ts";
import { diagnostics } from "./diagnostics.ts";
import type { Json } from "./fields.ts";
import { homeOf } from "./home.ts";
import { Refused } from "./refused.ts";
import { remedyOfFault } from "./remedy.ts";
import { secretsIn } from "./secrets-in.ts";

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborts when the process is asked to end. */
  readonly signal: Abort;
  /** What is told beside the answer, line by line. */
  readonly tell: (text: string) => void;
}

/** Never rejects. */
export async function answerDeploy(request: Json, { env, signal, tell }: Surroundings): Promise<Answer> {
  const redact = redactor(secretsIn(request));
  try {
    const journal = diagnostics(redact, tell);
    const around = { env, home: homeOf(env), random: systemRandom, clock: clientClock, journal, redact, signal };
    return redacted(await deploy(readDeployRequest(request), around), redact);
  } catch (error) {
    return redacted({ ok: false, error: textOf(error) }, redact);
  }
}

/** A refusal that shows something of the request. */
export function refuse(request: Json, error: string): Answer {
  return redacted({ ok: false, error }, redactor(secretsIn(request)));
}

function redacted(answer: Answer, redact: (text: string) => string): Answer {
  return answer.ok ? answer : { ...answer, error: redact(answer.error) };
}

function textOf(error: unknown): string {
  if (error instanceof Refused) return error.message;
  if (error instanceof Error && "hint" in error && typeof error.hint === "string")
    return `${error.message}; ${remedyOfFault(error.hint)}`;
  return `a fault of the provider itself: ${error instanceof Error ? error.message : String(error)}`;
}
