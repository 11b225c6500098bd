/** `moorage bundle verify`: whether signatures, order and content of a bundle hold, and against which trust root. */
import type { BundleStore, BundleVerification, PinnedRoot, StoredBundle, VerifyOptions } from "@moorage/bundle";
import { BundleError, readTrust, TrustError, verifyBundle } from "@moorage/bundle";
import { bareFloor } from "@moorage/core";
import type { Run } from "../args/command-spec.ts";
import type { FileReference, StoredReference } from "../bundle/bundle-reference.ts";
import { findBundle, referenceName } from "../bundle/bundle-reference.ts";
import { bytesOf, countOf } from "../bundle/bundle-text.ts";
import { withFile } from "../bundle/publish-catalog.ts";
import { usageError } from "../errors/cli-error.ts";
import { exit } from "../errors/exit-code.ts";
import { rootJson } from "../keys/keys-json.ts";
import type { Output } from "../output/output.ts";
import { channelText, storeOf } from "../update/catalog-line.ts";
import { withMachine } from "../update/with-machine.ts";

export const bundleVerify: Run = (invocation, host) =>
  withMachine(invocation, host, "read", async (session, machine) => {
    const { output } = host;
    const [word = ""] = invocation.words;
    const root = readTrust(machine.trustFolder);
    const found = await lookFor(() => findBundle(word, { invocation, host, session, machine }));
    if (found instanceof BundleError) {
      const { code, message, hint } = found;
      const nothing = { digest: null, channel: null, sequence: null, signers: [], checked: null };
      const told = { name: word, verdict: "refused", ...nothing, root: root === null ? null : rootJson(root) };
      if (output.json)
        output.object("BundleVerification", { ...told, reason: code, message, hint, expected: null, actual: null });
      return tellRefusal(word, message, hint, output);
    }
    if (found.kind === "folder")
      throw usageError(`${word} is a folder, and no bundle yet`, `run \`moorage bundle build ${word}\``);
    if (root === null) throw new TrustError("trustMissing", "there is no trust root on this machine to verify against");
    const checked = check(found, root, storeOf(machine));
    const verdict = checked.kind === "refused" && found.kind === "file" ? withFile(checked, word) : checked;
    const name = referenceName(found);
    if (output.json) output.object("BundleVerification", { name, ...verdictJson(found, root, verdict) });
    if (verdict.kind === "refused") return tellRefusal(name, verdict.message, verdict.hint, output);
    for (const line of verifiedLines(name, found, root, verdict)) output.line(line);
    return exit.ok;
  });

type Verified = Extract<BundleVerification, { kind: "verified" }>;
type Refused = Pick<
  Extract<BundleVerification, { kind: "refused" }>,
  "kind" | "reason" | "message" | "hint" | "expected" | "actual"
>;

/** What is no bundle is a refusal here, and no fault. */
async function lookFor<T>(find: () => Promise<T>): Promise<T | BundleError> {
  try {
    return await find();
  } catch (error) {
    if (error instanceof BundleError && error.code === "bundleFileInvalid") return error;
    throw error;
  }
}

/** One from elsewhere has to follow what its channel has here; what was published here has been judged by that. */
function check(found: StoredReference | FileReference, root: PinnedRoot, store: BundleStore): Verified | Refused {
  const { manifest, digest } = found;
  const { channel } = manifest;
  const known = store.history(channel).some((head) => head.digest === digest);
  const accepted = new Set(known ? [digest] : []);
  const options: Omit<VerifyOptions, "payload"> = {
    root,
    channel,
    floor: known ? bareFloor : store.floor(channel),
    accepted,
    running: null,
    now: Date.now(),
  };
  if (found.kind === "file") return verifyBundle(found.file.bytes, { ...options, payload: found.file.payload });
  const verdict: StoredBundle = store.get(digest, options);
  if (verdict.kind !== "missing") return verdict;
  const hint = "publish its catalog again";
  return { kind: "refused", reason: "payloadMissing", message: verdict.message, hint, expected: null, actual: null };
}

function verifiedLines(
  name: string,
  { manifest, digest }: StoredReference | FileReference,
  { root, digest: pin }: PinnedRoot,
  { bundle }: Verified,
): string[] {
  const { channel, sequence, components } = manifest;
  const signers = [...bundle.signers];
  return [
    `${name}: verified`,
    `  bundle      ${digest}`,
    `  place       number ${sequence} of ${channelText(channel)}`,
    `  signed by   ${signers.join(", ")}`,
    `  trust root  version ${root.version}, ${root.threshold} of ${countOf(root.keys.length, "key")}, ${pin}`,
    `  content     ${countOf(components.length, "file")}, ${countOf(bytesOf(components), "byte")}, each as it was signed`,
  ];
}

function verdictJson(found: StoredReference | FileReference, root: PinnedRoot, verdict: Verified | Refused): object {
  const { digest, manifest } = found;
  const { channel, sequence, components } = manifest;
  const common = { verdict: verdict.kind, digest, channel, sequence, root: rootJson(root) };
  if (verdict.kind === "refused") {
    const { reason, message, hint, expected, actual } = verdict;
    return { ...common, signers: [], checked: null, reason, message, hint, expected, actual };
  }
  const checked = { files: components.length, bytes: bytesOf(components) };
  const none = { reason: null, message: "verified", hint: null, expected: null, actual: null };
  return { ...common, signers: [...verdict.bundle.signers], checked, ...none };
}

function tellRefusal(name: string, message: string, hint: string, output: Output): number {
  if (!output.json) {
    output.error(`${output.style("red", "refused:")} ${name}: ${message}`);
    output.error(`${output.style("dim", "hint:")} ${hint}`);
  }
  return exit.refused;
}
