/** The main job, played on real processes in a minute: what is promised, what was seen, and exit 1 if they differ. */
import { Stage } from "./demo/stage.ts";
import { startActs } from "./demo/start-acts.ts";
import { updateActs } from "./demo/update-acts.ts";

const color = process.stdout.isTTY === true && process.env["NO_COLOR"] === undefined;
const paint = (code: number, text: string): string => (color ? `\u001b[${code}m${text}\u001b[0m` : text);
const say = (line = ""): void => void process.stdout.write(`${line}\n`);

const began = performance.now();
const stage = await Stage.open();
let broken = 0;
let kept = 0;
const leave = (): void => void stage.close().finally(() => process.exit(130));
process.once("SIGINT", leave);
process.once("SIGTERM", leave);
try {
  say(paint(1, "Moorage: exactly one of each, never killed by accident, updated without surprises."));
  say("A scribe that summarises a folder of texts, one turn each. Real processes, in a temporary folder.");
  for (const { promise, typed, play } of [...(await startActs(stage)), ...(await updateActs(stage))]) {
    say();
    say(paint(1, promise));
    say(paint(2, `  $ ${typed}`));
    const seen = await play();
    if (seen.kept) kept += 1;
    else broken += 1;
    say(`  ${seen.kept ? paint(32, "kept") : paint(31, "BROKEN")}  ${seen.words}`);
  }
} catch (fault) {
  broken += 1;
  say(`  ${paint(31, "BROKEN")}  ${fault instanceof Error ? fault.message : String(fault)}`);
} finally {
  process.removeListener("SIGINT", leave);
  process.removeListener("SIGTERM", leave);
  await stage.close();
}
say();
const seconds = ((performance.now() - began) / 1000).toFixed(0);
say(
  broken === 0
    ? `${kept} promises made, ${kept} kept, in ${seconds} s. Nothing was left behind.`
    : `${broken} broken, ${kept} kept, in ${seconds} s.`,
);
say(
  'Next: alias moorage="$PWD/node_modules/.bin/moorage"; then, in an empty folder, moorage init scribe and moorage deploy.',
);
process.exitCode = broken === 0 ? 0 : 1;
