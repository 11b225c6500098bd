/** The agent of the tests of the image: does what its first argument says, and goes on when files appear in its workspace. */
import { spawn } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { connect } from "@moorage/agent";

const workspace = process.env["MOORAGE_WORKSPACE"] ?? "";
const socketPath = process.env["MOORAGE_SOCKET"] ?? "";

/** Waits for a file of that name; one that is called `crash` ends it at once. */
async function fileOf(name: string): Promise<void> {
  while (!existsSync(`${workspace}/${name}`)) {
    if (existsSync(`${workspace}/crash`)) process.exit(9);
    await pause(20);
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** SIGTERM comes as soon as the last turn is told as over; an agent that goes by the drain has a word left. */
function outliveSigterm(): void {
  process.on("SIGTERM", () => undefined);
}

async function main(behaviour: string | undefined): Promise<void> {
  switch (behaviour) {
    case "sdk":
      return turnsBySdk();
    case "http":
      return turnsByHttp();
    case "quiet":
      // Nothing but its timer keeps it, and SIGTERM ends it as any process.
      setInterval(() => undefined, 60_000);
      return;
    case "deaf":
      process.on("SIGTERM", () => say("not yet"));
      setInterval(() => undefined, 60_000);
      say("ready");
      return;
    case "leaves":
      return leaveChild();
    case "child":
      process.on("SIGTERM", () => {
        say("the child is asked to end");
        process.exit(0);
      });
      setInterval(() => undefined, 60_000);
      writeFileSync(`${workspace}/child`, "");
      return;
    default:
      throw new Error(`what is ${behaviour ?? "nothing"}?`);
  }
}

async function turnsBySdk(): Promise<void> {
  outliveSigterm();
  const agent = await connect();
  await agent.health(true, "fine");
  agent.draining.addEventListener("abort", () => say("asked to end"));
  await agent.turn(async ({ id, catalog }) => {
    say(`in turn ${id}: ${catalog.text("greeting.txt")}`);
    await fileOf("finish");
    say(`turn ${id} is done`);
  });
  await agent.turn(() => say("another turn")).catch(({ code }) => say(`refused: ${code}`));
  process.stderr.write("the agent's last words\n");
}

async function turnsByHttp(): Promise<void> {
  outliveSigterm();
  const begun = await call("POST", "/v1/turns");
  const { id } = JSON.parse(begun.body) as { id: string };
  const greeting = await call("GET", `/v1/turns/${id}/catalog/greeting.txt`);
  say(`in turn ${id}: ${greeting.body}`);
  await fileOf("finish");
  const refused = await call("POST", "/v1/turns");
  say(`refused: ${refused.status}`);
  const ended = await call("DELETE", `/v1/turns/${id}`, JSON.stringify({ outcome: "succeeded" }));
  say(`turn ${id} is done: ${ended.status}`);
}

function call(method: string, path: string, body = ""): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const headers = { "content-length": Buffer.byteLength(body) };
    const asked = request({ socketPath, method, path, headers, agent: false }, (answer) => {
      let said = "";
      answer.setEncoding("utf8").on("data", (part: string) => (said += part));
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, body: said }));
    });
    asked.on("error", reject);
    asked.end(body);
  });
}

/** Its child has a session of its own and is nobody's child once this one has ended. */
async function leaveChild(): Promise<void> {
  spawn(process.execPath, [process.argv[1] ?? "", "child"], { stdio: "inherit", detached: true }).unref();
  await fileOf("child");
  say("the leader ends");
}

await main(process.argv[2]);
