// Holds every file that git knows, or will know, against the house rules.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findings } from "./house-rules.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const list = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
  cwd: root,
  encoding: "utf8",
  maxBuffer: 1 << 26,
});
const paths = list.split("\0").filter((path) => path !== "" && existsSync(join(root, path)));
const found = paths.flatMap((path) => findings({ path, text: readFileSync(join(root, path), "utf8") }));

for (const { file, rule, message } of found) console.error(`${file}: ${rule}: ${message}`);
console.log(`${paths.length} files, ${found.length} findings`);
process.exitCode = found.length === 0 ? 0 : 1;
