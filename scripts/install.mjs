// Makes the checkout's tools be there, as the lock file has them: plain JavaScript, because it runs before there is anything else.
import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const unreachable = /ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNREFUSED|ECONNRESET|ENETUNREACH|network/i;

/**
 * Installs what is missing and says so; resolves to the directory that has to stand first on PATH.
 * Rejects with an error for people (message, hint) when that cannot be had.
 */
export async function installed(root) {
  if (process.platform === "win32")
    throw told("Moorage does not run on Windows itself.", "run this inside WSL, in a checkout on its own file system.");
  const bin = join(root, "node_modules", ".bin");
  const reason = whyInstall(root);
  if (reason !== undefined) {
    say(`${reason}: installing with npm ci (about a minute)`);
    await npm(root, ["ci", "--no-audit", "--no-fund", "--loglevel=error"]);
  }
  if (ownNode(bin) === undefined) {
    say("the checkout's own Node is not there yet: running its install script");
    await npm(root, ["rebuild", "node", "esbuild", "--ignore-scripts=false"]);
  }
  const version = ownNode(bin);
  if (version === undefined)
    throw told(
      "npm installed the packages, but not the Node that comes with them.",
      "the install scripts of `node` and `esbuild` must be allowed to run: `npm ci --ignore-scripts=false`.",
    );
  say(`using Node ${version} of this checkout`);
  return bin;
}

/** One line on what happens, apart from the output of what is run. */
export function say(line) {
  process.stdout.write(`moorage: ${line}\n`);
}

/** Why an install is due, or undefined when what is there is what the lock file says. */
function whyInstall(root) {
  const want = packagesOf(join(root, "package-lock.json"));
  const have = packagesOf(join(root, "node_modules", ".package-lock.json"));
  if (want === undefined) throw told("package-lock.json is missing or broken.", "`git checkout package-lock.json`.");
  if (have === undefined) return "nothing is installed yet";
  const same = Object.entries(want).every(([path, entry]) => {
    const found = have[path];
    if (path === "") return true;
    return found === undefined ? entry.optional === true : found.version === entry.version;
  });
  return same ? undefined : "what is installed is not what the lock file says";
}

function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8")).packages;
  } catch {
    return undefined;
  }
}

function ownNode(bin) {
  const answer = spawnSync(join(bin, "node"), ["--version"], { encoding: "utf8" });
  return answer.status === 0 ? answer.stdout.trim().replace(/^v/, "") : undefined;
}

/** Runs npm: the very one that runs us, if one does. Its errors are shown as they come and looked through at the end. */
function npm(root, args) {
  const self = process.env.npm_execpath;
  const [command, first] = self?.endsWith(".js") ? [process.execPath, [self]] : ["npm", []];
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...first, ...args], { cwd: root, stdio: ["ignore", "inherit", "pipe"] });
    let errors = "";
    child.stderr.on("data", (chunk) => {
      process.stderr.write(chunk);
      errors = (errors + chunk).slice(-20_000);
    });
    child.on("error", () =>
      reject(told("npm is not to be found.", "install Node 20 or newer together with npm, then run this again.")),
    );
    child.on("close", (code) => {
      if (code === 0) resolve();
      else if (unreachable.test(errors))
        reject(told("npm cannot reach its registry.", "this first run needs the network; check it, or your proxy."));
      else reject(told(`npm ${args[0]} failed with exit code ${code}.`, "what npm says is above."));
    });
  });
}

/** An error for people. */
function told(message, hint) {
  return Object.assign(new Error(message), { hint });
}
