/** Rounds of SIGKILL at random moments: of callers, of the supervisor, of both; after each of them the promises are checked. */
import type { LoneAgent } from "./lone-agent.ts";
import { loneAgent } from "./lone-agent.ts";
import type { Call } from "./place.ts";
import { Place } from "./place.ts";
import { signal, supervisorsBelow } from "./processes.ts";
import { until } from "./until.ts";

export interface Kills {
  readonly rounds: number;
  /** Which commands and which victims; the moments also depend on the machine. */
  readonly seed: number;
  /** State directories that are worked on at once. */
  readonly lanes: number;
}

const commands = ["deploy", "deploy", "deploy", "restart", "stop"] as const;
const victims = ["caller", "supervisor", "both"] as const;

interface Round {
  readonly command: (typeof commands)[number];
  readonly victim: (typeof victims)[number];
  readonly callers: number;
  /** When, as a share of what the command takes undisturbed. */
  readonly moment: number;
  /** The agent goes as well, so that there is something to start. */
  readonly killAgent: boolean;
}

/** Rejects with the story of the round that broke a promise. Resolves to how often the agent was started. */
export async function randomKills({ rounds, seed, lanes }: Kills): Promise<number> {
  const shares = Array.from({ length: lanes }, (_, lane) => Math.floor((rounds + lane) / lanes));
  const played = await Promise.allSettled(shares.map((share, lane) => playLane(share, seed + lane)));
  let started = 0;
  for (const lane of played) {
    if (lane.status === "rejected") throw lane.reason;
    started += lane.value;
  }
  return started;
}

async function playLane(rounds: number, seed: number): Promise<number> {
  await using place = new Place();
  const lone = loneAgent(place);
  place.declare("a", `run: { command: ${JSON.stringify(lone.command)} }\ndrain: 1s\ngrace: 3s`);
  const next = numbers(seed);
  let usualMs = 400;
  for (let number = 1; number <= rounds; number += 1) {
    const round = draw(next);
    try {
      await play(place, lone, round, usualMs);
      usualMs = 0.7 * usualMs + 0.3 * (await converge(place, lone));
    } catch (error) {
      const journal = (await place.run(["journal", "--tail=40"])).stdout;
      const told = error instanceof Error ? error.message : String(error);
      throw new Error(`seed ${seed}, round ${number}: ${JSON.stringify(round)}\n${told}\n${journal}`, { cause: error });
    }
  }
  const { exit, outcome } = await place.askOne(["stop", "a"]);
  if (exit !== 0) throw new Error(`seed ${seed}: the last stop ended with ${exit} (${outcome})`);
  await place.atRest();
  return lone.runs().length;
}

async function play(place: Place, lone: LoneAgent, round: Round, usualMs: number): Promise<void> {
  if (round.killAgent) for (const pid of lone.living()) signal(pid, "SIGKILL");
  const calls = Array.from({ length: round.callers }, () => place.start([round.command, "a"]));
  await pause(round.moment * usualMs);
  if (round.victim !== "caller") for (const { pid } of supervisorsBelow(place.dir)) signal(pid, "SIGKILL");
  const [first, ...others] = calls;
  if (round.victim !== "supervisor") first?.child.kill("SIGKILL");
  // Who was not killed answers something true, in time; the agent may be gone by then.
  for (const call of round.victim === "supervisor" ? calls : others) await answered(call);
  if (round.victim !== "supervisor") await first?.done;
}

async function answered({ done }: Call): Promise<void> {
  const { exit, stdout, stderr } = await done;
  if (exit === null || exit === 1 || exit === 2)
    throw new Error(`a call that nobody killed ended with ${exit}: ${stdout}${stderr}`);
}

/** A later deploy: exactly one runs, alone from its first to its last moment, and everybody knows it. Milliseconds that it took. */
async function converge(place: Place, lone: LoneAgent): Promise<number> {
  const began = performance.now();
  const told = await place.askOne(["deploy"]);
  const ms = performance.now() - began;
  if (told.exit !== 0) throw new Error(`deploy did not converge: exit ${told.exit}, ${JSON.stringify(told)}`);
  const living = await until("it has begun", () => (lone.living().length > 0 ? lone.living() : null));
  const last = lone.runs().at(-1);
  if (living.length > 1 || living[0] !== last) throw new Error(`${living.join(" and ")} live, and ${last} began last`);
  const supervisors = supervisorsBelow(place.dir);
  if (supervisors.length !== 1) throw new Error(`${supervisors.length} supervisors: ${JSON.stringify(supervisors)}`);
  return told.outcome === "started" ? ms : 400;
}

function draw(next: () => number): Round {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)] ?? (from[0] as T);
  return {
    command: pick(commands),
    victim: pick(victims),
    callers: next() < 0.7 ? 1 : 2,
    moment: 1.2 * next(),
    killAgent: next() < 0.4,
  };
}

/** Not a wait for anything: the moment is what is random. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** mulberry32: the same numbers for the same seed. */
function numbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
