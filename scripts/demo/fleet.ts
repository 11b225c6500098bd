/** A fleet of two agents that write down what format they live with, and when: who looks at it sees whether two formats ever met. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Writes a line at its begin and at its end, on a clock that all processes of the machine share. */
const keeper = `import { appendFileSync } from "node:fs";
const note = (what) => appendFileSync("lives.log", \`\${process.hrtime.bigint()} \${what} \${process.env.FORMAT}\\n\`);
process.on("SIGTERM", () => { note("end"); process.exit(0); });
note("begin");
setInterval(() => {}, 1000);
`;

export const fleetOf = ["anna", "bert"] as const;

/** Declared anew with each format. */
export async function declareFleet(folder: string, format: number): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "keeper.mjs"), keeper);
  const documents = fleetOf.map(
    (name) => `apiVersion: moorage.dev/v1alpha1
kind: Agent
metadata: { name: ${name} }
spec:
  fleet: keepers
  run: { command: [node, keeper.mjs] }
  env: { FORMAT: "${format}" }
  fingerprint: { wireVersion: 1, eventLogSchema: ${format}, crdApiVersion: moorage.dev/v1alpha1 }
  drain: 1s
  grace: 5s
`,
  );
  await writeFile(join(folder, "agent.yaml"), documents.join("---\n"));
}

export interface Lives {
  /** How many lives began under each format. */
  readonly begun: ReadonlyMap<string, number>;
  /** The greatest number of formats that lived at one moment. */
  readonly formatsAtOnce: number;
}

export async function livesOf(folder: string): Promise<Lives> {
  const lines = (await readFile(join(folder, "lives.log"), "utf8")).trim().split("\n");
  const told = lines
    .map((line) => line.split(" ") as [at: string, what: string, format: string])
    .sort(([one], [other]) => Number(BigInt(one) - BigInt(other)));
  const living = new Map<string, number>();
  const begun = new Map<string, number>();
  let formatsAtOnce = 0;
  for (const [, what, format] of told) {
    living.set(format, (living.get(format) ?? 0) + (what === "begin" ? 1 : -1));
    if (what === "begin") begun.set(format, (begun.get(format) ?? 0) + 1);
    formatsAtOnce = Math.max(formatsAtOnce, [...living.values()].filter((count) => count > 0).length);
  }
  return { begun, formatsAtOnce };
}
