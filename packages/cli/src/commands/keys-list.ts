/** `moorage keys list`: whose signatures count here. Never a private part. */
import { readTrust, TrustError } from "@moorage/bundle";
import type { Run } from "../args/command-spec.ts";
import { exit } from "../errors/exit-code.ts";
import { keyHere, keysJson, keysLines } from "../keys/keys-json.ts";
import { withMachine } from "../update/with-machine.ts";

export const keysList: Run = (invocation, host) =>
  withMachine(invocation, host, "read", (_, { trustFolder }) => {
    const { output } = host;
    const trust = readTrust(trustFolder);
    if (trust === null) throw new TrustError("trustMissing", `there is no trust root in ${trustFolder} yet`);
    const here = keyHere(trustFolder);
    if (output.json) output.object("KeysList", keysJson(trustFolder, trust, here));
    for (const line of keysLines(trustFolder, trust, here)) output.line(line);
    return Promise.resolve(exit.ok);
  });
