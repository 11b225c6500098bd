import { expect, test } from "vitest";
import { kubectl } from "./kubectl-command.ts";

test("a name that a shell would take apart is quoted", () => {
  expect(kubectl({ context: "my cluster's", namespace: "agents" }, "get pods")).toBe(
    "kubectl --context 'my cluster'\\''s' --namespace agents get pods",
  );
  expect(kubectl({ context: null, namespace: "agents" }, "get pods")).toBe("kubectl --namespace agents get pods");
});
