/** Kills a call that carries out a cold move at a moment that it tells. */
import { expect } from "vitest";
import type { Fleet } from "./fleet.ts";

/** Kills the call with SIGKILL as soon as a line shows that state. */
export async function killAt(fleet: Fleet, args: readonly string[], words: string, begins = ""): Promise<void> {
  const { child, done } = fleet.start(args);
  let told = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    told += chunk.toString();
    if (told.split("\n").some((line) => line.startsWith(begins) && line.includes(words))) child.kill("SIGKILL");
  });
  const { signal, stdout, stderr } = await done;
  expect(signal, `${words}: it was not killed\n${stdout}${stderr}`).toBe("SIGKILL");
}
