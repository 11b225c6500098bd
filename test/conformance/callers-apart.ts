/** Callers in processes of their own: each is given a task as JSON and answers with its outcome, unless it dies. */
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import type { StartOutcome, StopOutcome } from "@moorage/core";

export interface CallersApart<Task> {
  /** What it answered, or null when it died. One that stays has answered with its first line. */
  call(task: Task & { readonly stays?: boolean }): Promise<StartOutcome | StopOutcome | null>;
  /** Kills those that are still there. */
  end(): void;
}

export function callersApart<Task>(program: string): CallersApart<Task> {
  const children = new Set<ChildProcess>();
  return {
    call(task) {
      const child = spawn(process.execPath, [program, JSON.stringify(task)], { stdio: ["ignore", "pipe", "inherit"] });
      children.add(child);
      return new Promise((resolve, reject) => {
        let said = "";
        child.stdout.on("data", (bytes: Buffer) => {
          said += bytes.toString();
          if (task.stays === true && said.endsWith("\n")) resolve(JSON.parse(said) as StartOutcome);
        });
        child.once("error", reject);
        child.once("close", () => {
          children.delete(child);
          resolve(said === "" ? null : (JSON.parse(said) as StartOutcome));
        });
      });
    },
    end() {
      for (const child of children) child.kill("SIGKILL");
    },
  };
}
