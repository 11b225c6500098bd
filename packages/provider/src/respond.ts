/** One request, one answer: whatever happens on the way is an answer too. */
import type { Answer } from "./answer.ts";
import type { Surroundings } from "./answer-deploy.ts";
import { info } from "./info.ts";
import { Refused } from "./refused.ts";
import type { Operation } from "./request.ts";
import { readOperation } from "./request.ts";

/** Never rejects. `fraction` is at least 0 and less than 1, for what need not be secret. */
export async function respond(bytes: Uint8Array, around: Surroundings, fraction: () => number): Promise<Answer> {
  const operation = operationIn(bytes);
  switch (operation.op) {
    case null:
      return { ok: false, error: operation.error };
    case "info":
      return info(fraction);
    case "deploy": {
      // Most of the program, of which a form needs nothing.
      const { answerDeploy } = await import("./answer-deploy.ts");
      return answerDeploy(operation.request, around);
    }
    case "unknown": {
      const { refuse } = await import("./answer-deploy.ts");
      return refuse(operation.request, operation.error);
    }
    default:
      return operation satisfies never;
  }
}

function operationIn(bytes: Uint8Array): Operation | { readonly op: null; readonly error: string } {
  try {
    return readOperation(bytes);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { op: null, error: error.message };
  }
}
