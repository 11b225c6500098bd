/** `moorage mailbox`: what needs a person, and the decisions about it. */
import type { Run } from "../args/command-spec.ts";
import { CliError } from "../errors/cli-error.ts";

export const mailboxList: Run = notYet;
export const mailboxShow: Run = notYet;
export const mailboxApprove: Run = notYet;
export const mailboxReject: Run = notYet;
export const mailboxDecide: Run = notYet;
export const mailboxSnooze: Run = notYet;

function notYet({ command }: Parameters<Run>[0]): Promise<number> {
  const message = `moorage ${command} is not there yet`;
  throw new CliError({ code: "notAvailable", message, hint: "run `moorage --help` to see what is" });
}
