/** P7 from outside: planted values are searched in everything that the command prints, writes and shows to others. */
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { Needles, plantedValue } from "./needles.ts";
import type { CallOptions, Ran } from "./place.ts";
import { declaration, Place } from "./place.ts";
import { processesBelow, signal, supervisorsBelow, untilDead } from "./processes.ts";
import { until } from "./until.ts";

interface Planted {
  readonly fromEnv: string;
  readonly fromFile: string;
  readonly key: string;
  readonly needles: Needles;
  readonly options: CallOptions;
}

/** Of each test's own: a key has one agent, wherever its state is. */
function plant(): Planted {
  const [fromEnv, fromFile, key] = [plantedValue(), plantedValue(), randomBytes(32).toString("hex")];
  const options = { env: { FROM_ENV: fromEnv, AGENT_KEY: key } };
  return { fromEnv, fromFile, key, needles: new Needles([fromEnv, fromFile, key]), options };
}

function declare(place: Place, { fromFile }: Planted, command: readonly string[]): void {
  place.write("value.txt", fromFile, 0o600);
  const spec = [
    `run: { command: ${JSON.stringify(command)} }`,
    "identity: { keyFrom: { env: AGENT_KEY }, as: AGENT_KEY }",
    "secretEnv: { FROM_ENV: { env: FROM_ENV }, FROM_FILE: { file: ./value.txt } }",
    "drain: 1s",
    "grace: 2s",
  ];
  place.write("agent.yaml", declaration("keeper", spec.join("\n")));
}

/** The agent has them all, and proves it without saying them. */
const quiet = 'test -n "$FROM_ENV" -a -n "$FROM_FILE" -a -n "$AGENT_KEY" && echo it has all three; exec sleep 600';
const talkative =
  'say() { printf "my secrets: %s %s %s\\n" "$FROM_ENV" "$FROM_FILE" "$AGENT_KEY"; }; say; say >&2; exit 3';

const looks = [
  ["status"],
  ["explain", "keeper"],
  ["journal"],
  ["journal", "keeper", "--verbose"],
  ["doctor"],
  ["deploy", "--dry-run"],
  ["deploy", "--verbose"],
  ["logs", "keeper"],
  ["logs", "keeper", "--previous"],
] as const;

async function look(place: Place, options: CallOptions): Promise<Ran[]> {
  const runs: Ran[] = [];
  for (const args of looks)
    runs.push(...(await Promise.all([place.run(args, options), place.run([...args, "--json"], options)])));
  return runs;
}

function printed(runs: readonly Ran[]): string {
  return runs.map(({ stdout, stderr }) => stdout + stderr).join("\n");
}

function isDatabase(name: string): boolean {
  return name.startsWith("state.db");
}

describe.concurrent("planted secrets", () => {
  it("are nowhere but in their Secret and in the agent's own environment, from deploy to stop", async () => {
    await using place = new Place();
    const planted = plant();
    const { needles, options } = planted;
    declare(place, planted, ["sh", "-c", quiet]);
    await place.mustRun(["deploy"], options);
    await until("it has them", async () => (await place.run(["logs", "keeper"], options)).stdout.includes("all three"));
    expect(needles.in("output", printed(await look(place, options)))).toEqual([]);
    expect(needles.in("ps", execFileSync("ps", ["-axww", "-o", "args"]))).toEqual([]);
    for (const { pid, command } of processesBelow([place.dir])) {
      expect(needles.in(`arguments of ${pid}`, command)).toEqual([]);
      if (supervisorsBelow(place.dir).some((supervisor) => supervisor.pid === pid))
        expect(needles.in("the supervisor's environment", execFileSync("cat", [`/proc/${pid}/environ`]))).toEqual([]);
    }
    expect(needles.below(place.state, isDatabase)).toEqual([]);
    const [supervisor] = supervisorsBelow(place.dir);
    signal(supervisor!.pid, "SIGKILL");
    await untilDead(supervisor!.pid);
    const after = [
      await place.run(["status"], options),
      await place.run(["deploy"], options),
      await place.run(["restart", "keeper"], options),
    ];
    expect(after.map(({ exit }) => exit)).toEqual([0, 0, 0]);
    after.push(await place.run(["stop", "keeper", "--verbose"]));
    expect(needles.in("output", printed([...after, ...(await look(place, options))]))).toEqual([]);
    await place.run(["stop", "--all"]);
    expect(needles.below(place.state)).toEqual([]);
  });

  it("stay in the database no longer than their Secret, also while others run", async () => {
    await using place = new Place();
    const planted = plant();
    const { needles, options } = planted;
    declare(place, planted, ["sh", "-c", quiet]);
    await place.deploy("other", "sleep", "600");
    await place.mustRun(["deploy"], options);
    expect(needles.below(place.state).length).toBeGreaterThan(0);
    expect(await place.askOne(["stop", "keeper"])).toMatchObject({ exit: 0, outcome: "stopped" });
    expect(needles.below(place.state)).toEqual([]);
  });

  it("that an agent prints itself are in its own log alone: reports hide them", async () => {
    await using place = new Place();
    const planted = plant();
    const { needles, options } = planted;
    declare(place, planted, ["sh", "-c", talkative]);
    const failed = await place.run(["deploy", "--settle=5s"], options);
    expect(failed.exit).toBe(4);
    expect(failed.stdout + failed.stderr).toContain("my secrets: ***");
    const told = await place.askOne(["deploy", "--settle=5s"], options);
    const runs = [
      failed,
      await place.run(["explain", "keeper"], options),
      await place.run(["explain", "keeper", "--json"], options),
    ];
    runs.push(await place.run(["journal"]), await place.run(["status"]), await place.run(["doctor"], options));
    expect(needles.in("output", printed(runs))).toEqual([]);
    expect(needles.in("the answer", JSON.stringify(told))).toEqual([]);
    const logs = (name: string): boolean => name.includes("/logs/") || isDatabase(name);
    expect(needles.below(place.state, logs)).toEqual([]);
    expect(needles.below(place.state).some(({ where }) => where.includes("/logs/"))).toBe(true);
  });

  it("that cannot be used are not shown by the error", async () => {
    await using place = new Place();
    const planted = plant();
    const { fromEnv, fromFile, key, options } = planted;
    declare(place, planted, ["sleep", "600"]);
    const bad = [
      { FROM_ENV: fromEnv, AGENT_KEY: key.slice(1) },
      { FROM_ENV: fromEnv, AGENT_KEY: `nsec1${key}` },
      { FROM_ENV: fromEnv, AGENT_KEY: fromFile },
      { FROM_ENV: "", AGENT_KEY: key },
    ];
    const runs = await Promise.all(
      bad.flatMap((env) =>
        [["deploy"], ["deploy", "--json"], ["explain", "keeper"], ["doctor"]].map((args) => place.run(args, { env })),
      ),
    );
    for (const unusable of [`${fromFile}${"x".repeat(140_000)}`, `${fromFile}\0`]) {
      place.write("value.txt", unusable, 0o600);
      runs.push(await place.run(["deploy"], options), await place.run(["explain", "keeper"], options));
    }
    runs.push(
      await place.run(["deploy"], options),
      await place.run(["restart", "keeper"], options),
      await place.run(["deploy"], { ...options, env: { ...options.env, MOORAGE_DEBUG: "1" } }),
    );
    expect(runs.filter(({ exit }) => exit === 2).length).toBeGreaterThan(10);
    expect(new Needles([fromEnv, fromFile, key, key.slice(1)]).in("output", printed(runs))).toEqual([]);
  });
});
