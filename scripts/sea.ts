// `npm run build:sea`: the provider as one executable with a Node inside, for machines that have none; made with the Node that runs this.
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleProvider } from "./bundle.ts";
import { seaFuse, whyNoExecutable } from "./sea-fuse.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const out = join(root, "build", "sea");
const name = "buzz-backend-moorage";
const mac = process.platform === "darwin";

const reason = whyNoExecutable(process.execPath, process.platform);
if (reason === null) await make();
else {
  console.error(`no executable was made: ${reason}`);
  process.exitCode = 1;
}

async function make(): Promise<void> {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const [main, config, blob, made] = [`${name}.cjs`, "config.json", `${name}.blob`, `${name}.part`] as const;
  const licenses = await bundleProvider(root, join(out, main));
  writeFileSync(join(out, "THIRD-PARTY-LICENSES"), licenses);
  // Its warning would be the first thing that a client reads.
  const settings = { main, output: blob, disableExperimentalSEAWarning: true, useCodeCache: true };
  writeFileSync(join(out, config), JSON.stringify(settings));
  run(process.execPath, ["--experimental-sea-config", config]);
  copyFileSync(process.execPath, join(out, made));
  chmodSync(join(out, made), 0o755);
  // A signature is one of the whole file, and would be wrong afterwards.
  if (mac) run("codesign", ["--remove-signature", made]);
  const postject = join(root, "node_modules", ".bin", "postject");
  const segment = mac ? ["--macho-segment-name", "NODE_SEA"] : [];
  run(process.execPath, [postject, made, "NODE_SEA_BLOB", blob, "--sentinel-fuse", seaFuse, ...segment]);
  if (mac) run("codesign", ["--sign", "-", made]);
  for (const file of [main, config, blob]) rmSync(join(out, file));
  renameSync(join(out, made), join(out, name));
  const megabytes = Math.round(statSync(join(out, name)).size / 1e6);
  console.log(`made ${relative(root, join(out, name))}, ${megabytes} MB, with Node ${process.version} inside`);
}

function run(program: string, args: readonly string[]): void {
  execFileSync(program, args, { cwd: out, stdio: "pipe" });
}
