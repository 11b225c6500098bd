/** A bundle that was taken back: a person says that it is tried again, and is asked again when it fails again. */
import { expect, it } from "vitest";
import { Place } from "./place.ts";
import { until } from "./until.ts";

const program = `import { appendFileSync, existsSync, readFileSync } from "node:fs";
const text = readFileSync(process.env.MOORAGE_CATALOG + "/prompts/system.md", "utf8").trim();
appendFileSync("said", text + "\\n");
if (text === "bad" && !existsSync("mended")) {
  console.error("cannot work with this");
  process.exit(1);
}
setInterval(() => undefined, 1000);
`;

interface Told {
  readonly notices: readonly { readonly id: string; readonly about: string }[];
}

it("a bundle that was taken back is tried again by a person's word, and comes back again if it has to", async () => {
  await using place = new Place();
  place.write("agent.mjs", program);
  place.write("catalog/prompts/system.md", "good\n");
  place.declare(
    "a",
    "run: { command: [node, agent.mjs] }\ncatalog: { path: ./catalog, trial: { bake: 1s } }\ndrain: 1s\ngrace: 2s",
  );
  const waiting = async (): Promise<Told["notices"]> =>
    (JSON.parse((await place.run(["mailbox", "--json"])).stdout) as Told).notices;
  const said = (): string[] => place.read("said").trimEnd().split("\n");
  await place.deployDeclared();
  await until("the first is proven", async () => (await place.run(["journal", "a"])).stdout.includes(" confirmed"));
  place.write("catalog/prompts/system.md", "bad\n");
  const applied = await place.run(["update", "apply"]);
  expect(applied.exit, applied.stdout + applied.stderr).toBe(0);
  await place.run(["restart", "a"]);
  const [first] = await until("it was taken back", async () => {
    const notices = await waiting();
    return notices.length > 0 ? notices : null;
  });
  expect(first?.about).toBe("bundleReverted");
  expect((await place.run(["mailbox", "show", first?.id ?? ""])).stdout).toContain("│ cannot work with this");
  await until("it is back", () => said().at(-1) === "good");
  expect(said()).toEqual(["good", "bad", "good"]);

  const retried = await place.run(["mailbox", "decide", first?.id ?? "", "retry"]);
  expect(retried, retried.stdout + retried.stderr).toMatchObject({ exit: 0 });
  expect(retried.stdout).toContain("is offered the bundle again");
  await until("it was offered again", async () =>
    /staged/.test((await place.run(["journal", "a"])).stdout.split("retry").at(-1) ?? ""),
  );
  await place.run(["restart", "a"]);
  const [again] = await until("it was taken back again", async () => {
    const notices = await waiting();
    return notices.length > 0 ? notices : null;
  });
  expect(again?.id).not.toBe(first?.id);
  expect(said()).toEqual(["good", "bad", "good", "bad", "good"]);
});
