/** A fleet of two agents that write down when they lived with which format, and the calls that move it. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { declaration, Place, type Ran } from "../place.ts";

/** The end is written last of all: whoever starts after it does not overlap. */
const program = `import { appendFileSync, existsSync, readFileSync } from "node:fs";
const [, , format] = process.argv;
const { MOORAGE_AGENT: agent, MOORAGE_CATALOG: catalog } = process.env;
if (format === "2" && agent === "editor" && existsSync("broken")) process.exit(1);
if (catalog !== undefined)
  appendFileSync("said", agent + " " + format + " " + readFileSync(catalog + "/prompts/system.md", "utf8"));
const tell = (what) =>
  appendFileSync(process.env.LIVES, JSON.stringify({ agent, format, what }) + "\\n");
tell("start");
process.on("SIGTERM", () => {
  tell("end");
  process.exit(0);
});
setInterval(() => undefined, 1000);
`;

const names = ["scribe", "editor"] as const;

interface Line {
  readonly agent: string;
  readonly format: string;
  readonly what: "start" | "end";
}

/** Of a notice in the mailbox, as `--json` tells it. */
export interface ToldNotice {
  readonly id: string;
  readonly about: string;
  readonly reason: string;
  readonly evidence: Readonly<Record<string, string>>;
  readonly choices: readonly string[];
  readonly state: string;
  readonly revision: number;
  readonly decision: { readonly choice: string; readonly by: string } | null;
}

export type MovingAxis = "wireVersion" | "eventLogSchema";

export interface FleetOptions {
  readonly axis?: MovingAxis;
  readonly catalog?: boolean;
  readonly secret?: boolean;
}

export class Fleet extends Place {
  readonly axis: MovingAxis;
  readonly catalog: boolean;
  /** Whether each wants the secret TOKEN. */
  readonly secret: boolean;

  /** `axis`: which format its builds differ in. */
  constructor({ axis = "wireVersion", catalog = false, secret = false }: FleetOptions = {}) {
    super();
    this.axis = axis;
    this.catalog = catalog;
    this.secret = secret;
    this.write("agent.mjs", program);
    if (catalog) this.write("catalog/prompts/system.md", "Be brief.\n");
  }

  /** Writes the declaration of both with this format. */
  declareFormat(format: number, file = "agent.yaml"): void {
    const other = this.axis === "wireVersion" ? "eventLogSchema" : "wireVersion";
    const documents = names.map((name) =>
      declaration(
        name,
        [
          "fleet: writers",
          `run: { command: [node, agent.mjs, "${format}"] }`,
          `env: { LIVES: ${join(this.dir, "lives")} }`,
          `fingerprint: { ${this.axis}: ${format}, ${other}: 1, crdApiVersion: moorage.dev/v1alpha1 }`,
          ...(this.catalog ? ["catalog: ./catalog"] : []),
          ...(this.secret ? ["secretEnv: { TOKEN: { env: TOKEN } }"] : []),
          "drain: 1s",
          "grace: 5s",
        ].join("\n"),
      ),
    );
    this.write(file, documents.join("---\n"));
  }

  /** Runs with format 1, and is to have format 2: the notice that waits for approval. */
  async proposed(...args: readonly string[]): Promise<ToldNotice> {
    this.declareFormat(1);
    const deployed = await this.run(["deploy"]);
    if (deployed.exit !== 0) throw new Error(`deploy: ${deployed.stdout}${deployed.stderr}`);
    this.declareFormat(2);
    const applied = await this.apply(...args);
    if (applied.exit !== 4) throw new Error(`update apply: exit ${applied.exit}: ${applied.stdout}${applied.stderr}`);
    return this.waiting();
  }

  apply(...args: readonly string[]): Promise<Ran> {
    return this.run(["update", "apply", ...args]);
  }

  /** The one notice that waits. */
  async waiting(): Promise<ToldNotice> {
    const { notices } = await this.mailbox();
    const [only] = notices;
    if (only === undefined || notices.length !== 1) throw new Error(`${notices.length} notices wait`);
    return only;
  }

  async mailbox(...args: readonly string[]): Promise<{ readonly notices: readonly ToldNotice[] }> {
    const listed = await this.run(["mailbox", "list", ...args, "--json"]);
    return JSON.parse(listed.stdout) as { notices: ToldNotice[] };
  }

  lives(): Line[] {
    const path = join(this.dir, "lives");
    if (!existsSync(path)) return [];
    return readFileSync(path, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Line);
  }

  /** The formats that lived one after the other, each once in a row. Throws when two of them ever lived at once. */
  formats(): string[] {
    const living = new Map<string, string>();
    const seen: string[] = [];
    for (const { agent, format, what } of this.lives()) {
      if (what === "end") living.delete(agent);
      else {
        living.set(agent, format);
        if (new Set(living.values()).size > 1) throw new Error(`two formats at once: ${JSON.stringify(this.lives())}`);
        if (seen.at(-1) !== format) seen.push(format);
      }
    }
    return seen;
  }

  /** By the format with which each lives now. */
  async running(): Promise<string[]> {
    const { agents } = await this.ask(["status"]);
    const alive = new Set(agents.filter(({ state }) => state === "running").map(({ agent }) => agent));
    const last = new Map(this.lives().map(({ agent, format }) => [agent, format] as const));
    return names.flatMap((name) => (alive.has(name) ? [`${name} ${last.get(name) ?? "?"}`] : []));
  }
}
