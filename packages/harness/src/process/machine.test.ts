import { expect, test } from "vitest";
import { compareMachines, machineIdentity } from "./machine.ts";

const here = { machineId: "m", bootId: "b", pidNamespace: "p" };

test.each([
  ["same", here],
  ["same", { ...here, machineId: null }],
  ["rebooted", { ...here, bootId: "other" }],
  ["otherNamespace", { ...here, pidNamespace: "other" }],
  ["otherMachine", { ...here, machineId: "other" }],
  ["otherMachine", { machineId: "other", bootId: "other", pidNamespace: "p" }],
  ["cannotTell", { ...here, bootId: null }],
  ["cannotTell", { ...here, pidNamespace: null }],
  ["cannotTell", { machineId: null, bootId: "other", pidNamespace: "p" }],
] as const)("%s: %o", (comparison, recorded) => {
  expect(compareMachines(recorded, here)).toBe(comparison);
  expect(compareMachines(here, recorded)).toBe(comparison);
});

test("an unknown platform tells nothing, and nothing is never the same", () => {
  const unknown = machineIdentity("aix");
  expect(compareMachines(unknown, unknown)).toBe("cannotTell");
});

test.runIf(process.platform === "linux")("this machine is the same as itself", () => {
  expect(machineIdentity().bootId).toMatch(/^[0-9a-f-]{36}$/);
  expect(machineIdentity().pidNamespace).toMatch(/^pid:\[\d+\]$/);
  expect(compareMachines(machineIdentity(), machineIdentity())).toBe("same");
});
