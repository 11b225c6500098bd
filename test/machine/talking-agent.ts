/** An agent that tells turns over its socket and does what a test asks for through files: no SDK, as any language could. */
import { existsSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import type { Place } from "./place.ts";
import { until } from "./until.ts";

/**
 * Arguments: a folder. It opens a turn when `open` appears there, ends the oldest when `close` does, tells that it is not
 * healthy when `sick` does, and runs the command in `run`; what it was answered is appended to `told`, one line each.
 * SIGTERM ends it.
 */
const script = `
import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, rmSync } from "node:fs";
import { request } from "node:http";
const folder = process.argv[2];
const tell = (line) => appendFileSync(folder + "/told", line + "\\n");
const ask = (method, path, body) => new Promise((resolve) => {
  const call = request({ socketPath: process.env.MOORAGE_SOCKET, method, path, headers: { "content-type": "application/json", "content-length": Buffer.byteLength(body) } }, (answer) => {
    let text = "";
    answer.on("data", (chunk) => { text += chunk; });
    answer.on("end", () => resolve({ status: answer.statusCode, body: text }));
  });
  call.on("error", (error) => resolve({ status: 0, body: String(error.code) }));
  call.end(body);
});
const open = [];
process.on("SIGTERM", () => { tell("term"); process.exit(0); });
tell("ready " + process.pid);
for (;;) {
  if (existsSync(folder + "/open")) {
    rmSync(folder + "/open");
    const { status, body } = await ask("POST", "/v1/turns", "{}");
    if (status === 201) open.push(JSON.parse(body).id);
    tell("open " + status);
  }
  if (existsSync(folder + "/close")) {
    rmSync(folder + "/close");
    const { status } = await ask("DELETE", "/v1/turns/" + open.shift(), '{"outcome":"succeeded"}');
    tell("close " + status);
  }
  if (existsSync(folder + "/sick")) {
    rmSync(folder + "/sick");
    tell("sick " + (await ask("PUT", "/v1/health", '{"ok":false,"detail":"deaf"}')).status);
  }
  if (existsSync(folder + "/run")) {
    const [program, ...words] = JSON.parse(readFileSync(folder + "/run", "utf8"));
    rmSync(folder + "/run");
    tell("run " + spawnSync(program, words).status);
  }
  await new Promise((resolve) => setTimeout(resolve, 20));
}
`;

export interface TalkingAgent {
  readonly command: readonly [string, string, string];
  told(): string[];
  /** Begins a turn; resolves to the status that the agent was answered. */
  open(): Promise<number>;
  close(): Promise<number>;
  sick(): Promise<number>;
  /** Runs a command as a tool call would; resolves to its exit code. */
  run(command: readonly string[]): Promise<number>;
  ready(): Promise<void>;
}

export function talkingAgent(place: Place): TalkingAgent {
  const program = place.write("talking/agent.mjs", script);
  const folder = join(place.dir, "talking");
  const told = (): string[] => {
    const file = join(folder, "told");
    return existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];
  };
  const order = async (word: "open" | "close" | "sick" | "run", content = ""): Promise<number> => {
    const before = told().length;
    place.write(`talking/${word}.new`, content);
    renameSync(join(folder, `${word}.new`), join(folder, word));
    return until(`it was answered about ${word}`, () => {
      const answer = told()
        .slice(before)
        .find((line) => line.startsWith(`${word} `));
      return answer === undefined ? null : Number(answer.split(" ")[1]);
    });
  };
  return {
    command: ["node", program, folder],
    told,
    open: () => order("open"),
    close: () => order("close"),
    sick: () => order("sick"),
    run: (command) => order("run", JSON.stringify(command)),
    ready: async () => {
      await until("the agent is ready", () => told().some((line) => line.startsWith("ready")));
    },
  };
}
