import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";

/** Whether a process runs: one that nobody has waited for yet does not. */
function lives(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

it.skipIf(!existsSync("/proc/self/status"))(
  "a plugin that waits for a person does not outlive who asked it",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "plugin-"));
    const file = join(folder, "pid");
    const plugin = {
      apiVersion: "client.authentication.k8s.io/v1",
      command: "/bin/sh",
      args: ["-c", `echo $$ > ${file}; exec sleep 1000`],
      env: {},
      installHint: null,
      provideClusterInfo: false,
    };
    const program = `
    import { existsSync } from "node:fs";
    const { runPlugin } = await import(${JSON.stringify(import.meta.resolve("./exec-plugin.ts"))});
    void runPlugin(${JSON.stringify(plugin)}, {}, null, process.env);
    setInterval(() => existsSync(${JSON.stringify(file)}) && process.exit(0), 10);`;
    try {
      const asking = spawn(process.execPath, ["--input-type=module", "--eval", program], { stdio: "inherit" });
      expect(await once(asking, "exit")).toEqual([0, null]);
      const pid = Number(readFileSync(file, "utf8"));
      expect(pid).toBeGreaterThan(1);
      await expect.poll(() => lives(pid), { timeout: 5_000 }).toBe(false);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);
