import { existsSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { join } from "node:path";
import type { NoticeDraft } from "@moorage/core";
import { openMailbox } from "@moorage/core";
import { systemRandom } from "@moorage/keys";
import { awakeClock, openScope } from "@moorage/local";
import { expect, test } from "vitest";
import type { ResultKind } from "../json/shapes.ts";
import { resultShape } from "../json/shapes.ts";
import type { Here } from "../run.fixture.ts";
import { commandHere } from "../run.fixture.ts";

const draft: NoticeDraft = {
  about: "agentEnded",
  subject: { kind: "agent", name: "scribe" },
  reason: "scribe ended on its last known good bundle: exit code 1",
  evidence: { bundle: "sha256:00", build: "b1", log: "one\n\u001b[2Jtwo" },
  choices: ["acknowledge"],
};

/** The id of a notice that somebody has raised. */
async function raised(here: Here, change: Partial<NoticeDraft> = {}): Promise<string> {
  const scope = await openScope({
    stateDir: join(here.folder, "state/moorage"),
    mode: "write",
    launchEnv: {},
    clock: awakeClock(),
    random: systemRandom,
    registryDir: null,
  });
  try {
    const { notice } = await openMailbox(scope.documents, systemRandom).raise({ ...draft, ...change }, Date.now());
    return notice.id;
  } finally {
    scope.close();
  }
}

interface Told {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  readonly notices: readonly { readonly id: string; readonly state: string }[];
  readonly notice: {
    readonly id: string;
    readonly state: string;
    readonly revision: number;
    readonly decision: unknown;
  };
}

async function ask(here: Here, argv: readonly string[], kind: ResultKind): Promise<Told & { readonly exit: number }> {
  const { exit, stdout } = await here.run([...argv, "--json"]);
  const told: unknown = JSON.parse(stdout);
  resultShape(kind).parse(told);
  return { exit, ...(told as Told) };
}

test("an empty mailbox says so, and a state that is not there is not made", async () => {
  await using here = commandHere();
  expect(await here.run(["mailbox"])).toMatchObject({ exit: 0, stdout: "nothing waits for a person\n", stderr: "" });
  expect(await ask(here, ["mailbox", "list", "--all"], "MailboxResult")).toMatchObject({ exit: 0, notices: [] });
  expect(existsSync(join(here.folder, "state"))).toBe(false);
});

test("what waits is listed, shown, decided once, and is over then", async () => {
  await using here = commandHere();
  const id = await raised(here);
  const listed = await here.run(["mailbox", "list"]);
  expect(listed.stdout).toContain(`${id.slice(0, 4)}  agent scribe: an agent ended, since `);
  expect(listed.stdout).toContain(draft.reason);
  const shown = await here.run(["mailbox", "show", id.slice(0, 5)]);
  expect(shown.stdout).toContain("│ two");
  expect(shown.stdout).not.toContain("\u001b");
  expect(shown.stdout).toContain(`moorage mailbox decide ${id.slice(0, 4)} acknowledge`);
  expect(await ask(here, ["mailbox", "show", id], "NoticeResult")).toMatchObject({ notice: { id, state: "open" } });

  const decided = await ask(here, ["mailbox", "decide", id, "acknowledge"], "MailboxDecision");
  const by = `${userInfo().username}@${hostname()}`;
  expect(decided).toMatchObject({ exit: 0, notice: { state: "decided", decision: { choice: "acknowledge", by } } });
  const again = await ask(here, ["mailbox", "decide", id, "acknowledge"], "Error");
  expect(again).toMatchObject({ exit: 5, code: "decidedAlready" });
  expect(again.message).toContain(by);
  expect((await ask(here, ["mailbox"], "MailboxResult")).notices).toEqual([]);
  expect((await ask(here, ["mailbox", "--all"], "MailboxResult")).notices).toMatchObject([{ id, state: "decided" }]);
  const journal = await here.run(["journal", "scribe"]);
  expect(journal.stdout).toMatch(/scribe decide acknowledge: .*acknowledge, decided by/);
});

test("a script decides what it has seen, and nothing else", async () => {
  await using here = commandHere();
  const id = await raised(here);
  expect(await here.run(["mailbox", "snooze", id, "--for", "2h"])).toMatchObject({ exit: 0 });
  expect((await ask(here, ["mailbox"], "MailboxResult")).notices).toEqual([]);
  const late = await ask(here, ["mailbox", "decide", id, "acknowledge", "--revision", "1"], "Error");
  expect(late).toMatchObject({ exit: 5, code: "noticeMoved" });
  expect(late.message).toContain("revision 2");
  const decide = ["mailbox", "decide", id, "acknowledge", "--revision", "2"];
  expect(await ask(here, decide, "MailboxDecision")).toMatchObject({ exit: 0, notice: { revision: 3 } });
});

test("a decision whose facts are gone is refused, and nothing is decided", async () => {
  await using here = commandHere();
  const id = await raised(here, { about: "bundleReverted", choices: ["retry", "acknowledge"] });
  const told = await ask(here, ["mailbox", "decide", id, "retry"], "Error");
  expect(told).toMatchObject({ exit: 5, code: "noticeMoved" });
  expect(await ask(here, ["mailbox", "show", id], "NoticeResult")).toMatchObject({ notice: { state: "superseded" } });
  const again = await ask(here, ["mailbox", "decide", id, "retry"], "Error");
  expect(again).toMatchObject({ exit: 5, code: "noticeMoved" });
});

test("what can be no decision is refused with what can be one", async () => {
  await using here = commandHere();
  const id = await raised(here);
  const approve = await ask(here, ["mailbox", "approve", id], "Error");
  expect(approve).toMatchObject({ exit: 2, code: "notAChoice" });
  expect(approve.hint).toContain("acknowledge");
  const slip = await ask(here, ["mailbox", "decide", id, "acknowlege"], "Error");
  expect(slip).toMatchObject({ exit: 2, hint: "did you mean acknowledge?" });
  const bogus = await ask(here, ["mailbox", "decide", id, "bogus"], "Error");
  expect(bogus).toMatchObject({ exit: 2, hint: "choices are: acknowledge" });
  const other = await ask(here, ["mailbox", "show", `${id.slice(0, 3)}g`], "Error");
  expect(other).toMatchObject({ exit: 2, code: "noSuchNotice", hint: `did you mean ${id.slice(0, 4)}?` });
  expect(await ask(here, ["mailbox", "snooze", id], "Error")).toMatchObject({ exit: 2, code: "usage" });
  expect(await here.run(["mailbox", "--on", "kubernetes"])).toMatchObject({ exit: 2 });
  expect((await ask(here, ["mailbox"], "MailboxResult")).notices).toMatchObject([{ id, state: "open" }]);
});

test("the commands that a notice offers reach the state that it was read from", async () => {
  await using here = commandHere();
  const id = await raised(here);
  const state = join(here.folder, "state/moorage");
  const shown = await here.run(["mailbox", "show", id, "--state", state]);
  expect(shown.stdout).toContain(`moorage mailbox decide ${id.slice(0, 4)} acknowledge --state ${state}`);
  expect(shown.stdout).toContain(`moorage mailbox snooze ${id.slice(0, 4)} --for 2h --state ${state}`);
});
