import { expect, test } from "vitest";
import { remedy } from "./remedy.ts";

test.each([
  ["crash", "ended by SIGHUP", "SIGHUP", "have it handle SIGHUP, or leave `signal:` out"],
  ["crash", "ended by SIGSEGV", "SIGHUP", "correct its catalog"],
  ["crash", "exit code 1", null, "correct its catalog and run `moorage update apply`"],
  ["reload", "no such prompt", null, "correct its catalog"],
  ["signature", "the signature is by another key", null, "moorage restart scribe`: it has pinned the trust root"],
  [
    "rootRollback",
    "it is signed for an older trust root",
    null,
    "moorage update apply`: it publishes the catalog anew",
  ],
  ["incompatible", "for another wire version", null, "moorage update plan"],
] as const)("what helps after %s (%s) with the signal %s", (reason, detail, signal, text) => {
  expect(remedy({ reason, detail }, "scribe", signal)).toContain(text);
});
