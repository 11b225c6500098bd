/** P2 through the command: what stands in the way of a create is no matter for an agent that runs. */
import { rmSync } from "node:fs";
import { expect, it } from "vitest";
import { Place } from "./place.ts";

it("a deploy of a running agent answers, although its secret and its script are not there any more", async () => {
  await using place = new Place();
  const script = place.write("agent.sh", "#!/bin/sh\nexec sleep 600\n", 0o755);
  place.declare("a", 'run: { command: ["./agent.sh"] }\nsecretEnv: { TOKEN: { env: TOKEN } }');
  const before = await place.run(["deploy", "--json"]);
  expect(before.exit).toBe(2);
  expect(before.stdout).toContain("secretMissing");
  expect((await place.run(["deploy"], { env: { TOKEN: "a-token-of-mine" } })).exit).toBe(0);
  const { pid } = await place.status("a");

  rmSync(script);
  const again = await place.run(["deploy", "--json"]);
  expect(again.exit).toBe(0);
  expect(again.stdout).toContain('"alreadyRunning"');
  expect((await place.status("a")).pid).toBe(pid);

  expect((await place.run(["stop", "a"])).exit).toBe(0);
  const after = await place.run(["deploy", "--json"]);
  expect(after.exit).toBe(2);
  expect(after.stdout).toContain("TOKEN is not set");
  expect(after.stdout).toContain("agent.sh");
});
