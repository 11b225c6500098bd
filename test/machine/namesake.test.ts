/** Two identities under one declared name look like a second copy to everybody who reads `status`. */
import { expect, it } from "vitest";
import { Place } from "./place.ts";

it("the same agent under another key is refused while it runs, and starts once it is stopped", async () => {
  await using place = new Place();
  place.declare("keyed", 'run: { command: [sleep, "600"] }\nidentity: { keyFrom: { env: NKEY } }');
  const first = { env: { NKEY: `${"0".repeat(63)}1` } };
  const second = { env: { NKEY: `${"0".repeat(63)}2` } };
  expect((await place.run(["deploy"], first)).exit).toBe(0);

  const refused = await place.run(["deploy", "--json"], second);
  expect(refused.exit).toBe(4);
  expect(refused.stdout).toContain("nameTaken");
  expect((await place.run(["deploy", "keyed", "--", "sleep", "600"])).exit).toBe(4);
  expect((await place.ask(["status"])).agents).toHaveLength(1);

  expect((await place.run(["stop", "keyed"])).exit).toBe(0);
  expect((await place.run(["deploy"], second)).exit).toBe(0);
});

it("a key that the agent itself does not get is one agent across state directories too", async () => {
  await using place = new Place();
  place.declare("keyed", 'run: { command: [sleep, "600"] }\nidentity: { keyFrom: { env: NKEY } }');
  const env = { NKEY: `${"0".repeat(62)}77`, HOME: place.dir };
  expect((await place.run(["deploy"], { env })).exit).toBe(0);
  const elsewhere = await place.run(["deploy", "--json", "--state", `${place.dir}/another`], { env, state: false });
  expect(elsewhere.exit).toBe(4);
  expect(elsewhere.stdout).toContain("otherScope");
});
