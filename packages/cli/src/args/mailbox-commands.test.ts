import { expect, test } from "vitest";
import { mailboxCommands } from "./mailbox-commands.ts";

test("the ids in the examples look like those that the mailbox lists: hexadecimal digits", () => {
  const examples = mailboxCommands.subcommands.flatMap((command) => command.examples.map(([line]) => line));
  const ids = examples.flatMap((line) => / (?:show|approve|reject|decide|snooze) (\S+)/.exec(line)?.[1] ?? []);
  expect(ids.length).toBeGreaterThan(4);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{4}$/);
});
