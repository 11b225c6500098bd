/** `moorage bundle sign`: this machine's signature on a bundle in a file. */
import { resolve } from "node:path";
import {
  addSignatures,
  ensureTrust,
  envelopeBytes,
  manifestDigest,
  readBundleFile,
  signersOf,
  signingKeyOf,
  verifyBundle,
  writeBundleFile,
} from "@moorage/bundle";
import { bareFloor } from "@moorage/core";
import type { Run } from "../args/command-spec.ts";
import { refusedError } from "../bundle/publish-catalog.ts";
import { exit } from "../errors/exit-code.ts";
import { withMachine } from "../update/with-machine.ts";

export const bundleSign: Run = (invocation, host) => {
  const { output } = host;
  const [word = ""] = invocation.words;
  const path = resolve(host.cwd, word);
  // Before anything is made on this machine.
  const { envelope, manifest, payload } = readBundleFile(path);
  return withMachine(invocation, host, "write", (_, machine) => {
    const root = ensureTrust(machine.trustFolder);
    const key = signingKeyOf(machine.trustFolder);
    const signed = addSignatures(envelope, [key]);
    const { channel } = manifest;
    const bytes = envelopeBytes(signed);
    // What would be refused everywhere is not signed: its content is looked at whole.
    const options = {
      root,
      channel,
      floor: bareFloor,
      accepted: new Set<string>(),
      running: null,
      now: Date.now(),
      payload,
    };
    const verified = verifyBundle(bytes, options);
    if (verified.kind === "refused" && verified.reason !== "thresholdNotMet") throw refusedError(verified);
    const added = signersOf(envelope, [key.publicKey]).size === 0;
    if (added) writeBundleFile(path, signed, payload);
    const { keyId } = key;
    const signatures = signed.signatures.length;
    const digest = manifestDigest(envelope.payload);
    if (output.json) output.object("BundleSigned", { file: path, digest, keyId, signatures, added });
    output.line(added ? `signed ${word} with ${keyId}` : `${word} has the signature of ${keyId} already`);
    return Promise.resolve(exit.ok);
  });
};
