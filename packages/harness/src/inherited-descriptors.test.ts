import { spawnSync } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const script = `
import { closeInheritedDescriptors } from ${JSON.stringify(join(import.meta.dirname, "inherited-descriptors.ts"))};
import { spawnSync } from "node:child_process";
const list = () => spawnSync("ls", ["/proc/self/fd"], { encoding: "utf8" }).stdout.trim().split("\\n").length;
const before = list();
closeInheritedDescriptors();
console.log(JSON.stringify([before, list()]));
`;

it.skipIf(process.platform !== "linux")("what was inherited open reaches no child any more", () => {
  const fd = openSync("/dev/null", "r");
  const child = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    encoding: "utf8",
    // Node itself sees to the low ones that have no gap between them.
    stdio: ["ignore", "pipe", "inherit", ...Array.from({ length: 37 }, () => "ignore" as const), fd],
  });
  closeSync(fd);
  const [before, after] = JSON.parse(child.stdout) as [number, number];
  // Three of its own, and the directory that ls reads.
  expect(after).toBe(4);
  expect(before).toBeGreaterThanOrEqual(5);
});
