import { expect, test } from "vitest";
import { addressing, substrateOf } from "./substrate-of.ts";

const cluster = { on: "kubernetes", context: "dev", namespace: "team" };

test("the commands that a hint tells to run reach the same cluster and namespace", () => {
  const address = addressing(cluster);
  expect(address("run `moorage stop scribe` first")).toBe(
    "run `moorage stop scribe --on kubernetes --context dev --namespace team` first",
  );
  expect(address("`moorage logs a -f`, `moorage doctor`")).toBe(
    "`moorage logs a -f --on kubernetes --context dev --namespace team`, `moorage doctor --on kubernetes --context dev --namespace team`",
  );
});

test("a named state directory and declaration are named again, each where it is taken", () => {
  const address = addressing({ state: "/var/my state", file: "x.yaml" });
  expect(address("`moorage stop a`")).toBe("`moorage stop a --state '/var/my state'`");
  expect(address("`moorage deploy a`")).toBe("`moorage deploy a --state '/var/my state' --file x.yaml`");
});

test("what stands behind -- stays last, and a flag that is there is not doubled", () => {
  const address = addressing({ state: "/s" });
  expect(address("`moorage deploy NAME -- COMMAND`")).toBe("`moorage deploy NAME --state /s -- COMMAND`");
  expect(address("`moorage stop a --state /other`")).toBe("`moorage stop a --state /other`");
});

test.each(["`moorage init`", "`moorage schema`", "`kubectl get pods`", "no command at all"])(
  "%s has no scope and stays as it is",
  (text) => {
    expect(addressing(cluster)(text)).toBe(text);
  },
);

test("nothing is added where nothing was said", () => {
  expect(addressing({ on: "local" })("`moorage stop a`")).toBe("`moorage stop a`");
});

test("what goes with a cluster only is refused without one", () => {
  expect(() => substrateOf({ namespace: "team" })).toThrow(/--namespace is for clusters/);
  expect(() => substrateOf({ on: "moon" })).toThrow(/--on moon is unknown/);
  expect(substrateOf(cluster)).toBe("kubernetes");
  for (const namespace of ["Bad_Name", "-a", "a".repeat(64), "a/b"])
    expect(() => substrateOf({ ...cluster, namespace })).toThrow(/no namespace can be named so/);
});
