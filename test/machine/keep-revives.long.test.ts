/** Keep, as a person leaves it running: what crashed comes back, what was stopped stays stopped. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Place } from "./place.ts";
import { until } from "./until.ts";

it("a crash is started again by keep with the PATH of the deploy; what was stopped stays stopped", async () => {
  await using place = new Place();
  const own = place.write("bin/own-agent", "#!/bin/sh\necho up\nexec sleep 600\n", 0o755);
  place.declare("a", `run: { command: [own-agent] }\nrevive: onFailure\ndrain: 1s\ngrace: 2s\n`);
  const path = `${join(own, "..")}:${place.env()["PATH"] ?? ""}`;
  await place.mustRun(["deploy"], { env: { PATH: path } });
  const { pid } = await place.status("a");
  const call = place.start(["keep"], { env: { PATH: "/usr/bin:/bin" } });
  let seen = "";
  call.child.stdout?.on("data", (chunk: Buffer) => {
    seen += chunk.toString();
  });
  await until("keep to watch", () => seen.includes("watching it"));
  process.kill(pid ?? 0, "SIGKILL");
  await until("keep to see the end", () => seen.includes("started again in 10 s"));
  await until("keep to revive it", () => seen.includes("it runs again"), 60_000);
  const revived = await place.status("a");
  expect(revived).toMatchObject({ state: "running", revives: 1 });
  expect(readFileSync(`/proc/${revived.pid}/environ`, "utf8")).toContain(`PATH=${path}`);
  await place.mustRun(["stop", "a"]);
  await until("keep to see the stop", () => seen.includes("whoever stopped it meant it"));
  call.child.kill("SIGTERM");
  expect(await call.done).toMatchObject({ exit: 130 });
}, 120_000);
