import { expect, test } from "vitest";
import { commandHere } from "../run.fixture.ts";
import { agentDocument, writeAgents, writePrompt } from "./update.fixture.ts";

interface Told {
  readonly notices: readonly { readonly id: string; readonly about: string }[];
}

test("a bundle is not tried again once a later one is given to the fleet", async () => {
  await using here = commandHere();
  writeAgents(here, [agentDocument("scribe")]);
  writePrompt(here, "be kind");
  expect(await here.run(["deploy"])).toMatchObject({ exit: 0 });
  const waits = ["update", "apply", "--deadline", "20s"];
  writePrompt(here, "be brief");
  expect(await here.run(waits)).toMatchObject({ exit: 0 });
  writePrompt(here, "crash");
  expect(await here.run(waits)).toMatchObject({ exit: 4 });
  const { notices } = JSON.parse((await here.run(["mailbox", "--json"])).stdout) as Told;
  expect(notices.map(({ about }) => about)).toEqual(["bundleReverted"]);
  expect(await here.run(["stop", "scribe"])).toMatchObject({ exit: 0 });
  writePrompt(here, "be long");
  expect(await here.run(waits)).toMatchObject({ exit: 0 });
  const retried = await here.run(["mailbox", "decide", notices[0]?.id ?? "", "retry"]);
  expect(retried, retried.stdout).toMatchObject({ exit: 5 });
  expect(retried.stderr).toContain("nothing was decided");
  expect((await here.run(["mailbox"])).stdout).toContain("nothing waits for a person");
});
