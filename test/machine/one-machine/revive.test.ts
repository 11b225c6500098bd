/** L34–L42: what keep starts again, what it leaves alone, and with which environment. */

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import type { Ran } from "../place.ts";
import { Place } from "../place.ts";
import { environmentOf, signal, supervisorsBelow, untilDead } from "../processes.ts";
import { talkingAgent } from "../talking-agent.ts";
import { until } from "../until.ts";

interface News {
  readonly code: string;
  readonly message: string;
  readonly notice: boolean;
}

/** A `keep --json` that runs until the place ends; gives what it has told so far, and fails when it has ended. */
function keep(place: Place, env: Readonly<Record<string, string>> = {}): () => News[] {
  const { child, done } = place.start(["keep", "--json"], { env });
  let text = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  let ended: Ran | null = null;
  const over = done.then((ran) => {
    ended = ran;
  });
  place.atEnd(() => over);
  return () => {
    if (ended !== null) throw new Error(`keep has ended: ${JSON.stringify(ended)}`);
    return text
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as News);
  };
}

function declare(place: Place, agent: string): void {
  const command = ["sh", "-c", agent, place.dir];
  place.declare("a", `run: { command: ${JSON.stringify(command)} }\nrevive: onFailure\ndrain: 1s\ngrace: 3s`);
}

/** Ends with the code that stands in the file `end`, once it is there. */
const endsOnWord = 'while [ ! -s "$0/end" ]; do sleep 0.05; done; echo its last words; exit "$(cat "$0/end")"';

describe.concurrent("revive", () => {
  it("L34: exit 78 (bad configuration): not revived, and keep tells it once as a notice", async () => {
    await using place = new Place();
    declare(place, endsOnWord);
    await place.deployDeclared();
    const news = keep(place);
    await until("keep watches", () => news().some(({ code }) => code === "watching"));
    place.write("end", "78");
    const notice = await until("it is told", () => news().find(({ code }) => code === "notRevived") ?? null);
    expect(notice.notice).toBe(true);
    expect(notice.message).toContain("78");
    expect(news().some(({ code }) => code === "revivesIn" || code === "reviving")).toBe(false);
    expect((await place.run(["explain", "a"])).stdout).toContain("its last words");
  });

  it("L35: exit 75 (try again later) waits the longest step, any other failure the shortest", async () => {
    for (const [exit, wait] of [
      ["75", "300 s"],
      ["1", "10 s"],
    ] as const) {
      await using place = new Place();
      declare(place, endsOnWord);
      await place.deployDeclared();
      const news = keep(place);
      place.write("end", exit);
      const told = await until("it is told", () => news().find(({ code }) => code === "revivesIn") ?? null);
      expect(told.message).toContain(wait);
    }
  });

  it("L37: the hour's budget is used up: said with the time at which it refills by itself", async () => {
    await using place = new Place();
    declare(place, endsOnWord);
    const { agentId } = await place.deployDeclared();
    const database = new DatabaseSync(join(place.state, "state.db"), { timeout: 5_000 });
    for (let number = 5; number > 0; number -= 1)
      database.prepare("INSERT INTO revives VALUES (?, ?)").run(agentId, Date.now() - number * 60_000);
    database.close();
    const news = keep(place);
    place.write("end", "1");
    const told = await until("it is told", () => news().find(({ code }) => code === "exhausted") ?? null);
    expect(told.message).toMatch(/possible in 5[4-6] min/);
    expect(told.notice).toBe(true);
    place.write("end", "");
    expect((await place.askOne(["deploy"])).outcome).toBe("started");
  });

  it("L40: alive but deaf: health and the age of its turn in status; nobody kills it", async () => {
    await using place = new Place();
    const talking = talkingAgent(place);
    place.declare("a", `run: { command: ${JSON.stringify(talking.command)} }\nhealth: { socket: true }`);
    await place.deployDeclared();
    await talking.ready();
    expect(await talking.open()).toBe(201);
    expect(await talking.sick()).toBe(200);
    const told = await until("it is told", async () => {
      const status = await place.status("a");
      return status.health.state === "unhealthy" ? status : null;
    });
    expect(told).toMatchObject({ state: "running", turn: { inFlight: 1 } });
    expect(told.turn?.since).not.toBeNull();
  });

  it("L42: keep with another PATH revives with the PATH recorded at deploy", async () => {
    await using place = new Place();
    declare(place, "exec sleep 600");
    const path = `${place.dir}/tools:${place.env().PATH}`;
    await place.mustRun(["deploy"], { env: { PATH: path } });
    const { pid, supervisor } = await place.status("a");
    const news = keep(place, { PATH: "/usr/bin:/bin" });
    await until("keep watches", () => news().some(({ code }) => code === "watching"));
    signal(supervisor!.pid!, "SIGKILL");
    await untilDead(supervisor!.pid!);
    await until("it runs again", () => news().some(({ code }) => code === "revived"), 40_000);
    const again = await place.status("a");
    expect(again.pid).not.toBe(pid);
    expect(environmentOf(again.pid!)["PATH"]).toBe(path);
    expect(supervisorsBelow(place.dir)).toHaveLength(1);
  });

  it("L42: doctor finds a program that vanished from the recorded PATH", async () => {
    await using place = new Place();
    place.write("tools/agent", "#!/bin/sh\nexec sleep 600\n", 0o755);
    await place.mustRun(["deploy", "a", "--", "agent"], { env: { PATH: `${place.dir}/tools:${place.env().PATH}` } });
    place.remove("tools/agent");
    expect((await place.run(["doctor"])).stdout).toMatch(/a: it could not be started again: there is no program agent/);
  });
});
