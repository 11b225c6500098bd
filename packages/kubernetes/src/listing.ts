/** The answer to a list as a watch needs it. */
import type { Understood } from "./answers.ts";
import { fieldsOf, listOf, textOf } from "./json-fields.ts";
import { noApiServer } from "./requests.ts";
import type { Listing } from "./watch.ts";

export function listingOf(answer: Understood): Listing {
  switch (answer.kind) {
    case "success": {
      const version = textOf(fieldsOf(answer.object["metadata"])["resourceVersion"]);
      if (version === null) return { kind: "listFailed", detail: noApiServer.detail, retryAfterMs: null };
      return { kind: "listed", objects: listOf(answer.object["items"]).map(fieldsOf), version };
    }
    case "unavailable":
      return { kind: "listFailed", detail: answer.detail, retryAfterMs: answer.retryAfterMs };
    default:
      return { kind: "listFailed", detail: `the list was answered with ${answer.kind}`, retryAfterMs: null };
  }
}
