import { expect, test } from "vitest";
import { understandChange } from "./answers.ts";

const asked = { verb: "create", resource: "pods", namespace: "team", server: "https://api" };
const failed = (message: string) =>
  understandChange(
    {
      kind: "answered",
      status: 500,
      body: JSON.stringify({ kind: "Status", reason: "InternalError", message }),
      serverTime: null,
      retryAfterMs: null,
    },
    asked,
  );

test("a webhook that fails closed is named, and nothing of what it was called with is repeated", () => {
  const post = 'failed to call webhook: Post "https://127.0.0.1/?token=s3cret": context deadline exceeded';
  expect(failed(`Internal error occurred: failed calling webhook "gate.example.org": ${post}`)).toEqual({
    kind: "unknownOutcome",
    detail:
      "the API server answers 500 (InternalError): the webhook gate.example.org fails, and nothing is admitted without it",
  });
});

test("any other fault of the server is told by its reason alone", () => {
  expect(failed("etcdserver: request timed out")).toEqual({
    kind: "unknownOutcome",
    detail: "the API server answers 500 (InternalError)",
  });
});
