/** The record of an agent in a container of its own: there is nobody else to keep it from, so it is words and a last note. */
import type { Ending, EndingNote } from "@moorage/core";
import { describeEnding } from "@moorage/core";
import { describeLost } from "./endings.ts";
import type { Record } from "./record.ts";
import type { Told } from "./told.ts";

export interface PodRecordPorts {
  readonly agent: string;
  readonly write: (line: string) => void;
  /** Leaves the note where the platform keeps the last words of a container. */
  readonly leave: (note: EndingNote) => void;
}

export interface PodRecord extends Record {
  readonly tell: (told: Told) => void;
}

const recorded = { kind: "recorded" } as const;

export function podRecord({ agent, write, leave }: PodRecordPorts): PodRecord {
  let lostTurns = 0;
  let killed = false;
  return {
    spawned: ({ pid }) => {
      write(`${agent} runs as process ${pid}`);
      return recorded;
    },
    running: () => recorded,
    ended: (ending) => {
      write(`${agent} has ended: ${describeEnding(ending)}`);
      leave({ reason: ending.reason, lostTurns, killed, wrong: [] });
      return recorded;
    },
    // A stop comes as a signal, and the container goes with the pod.
    look: () => ({ kind: "ours", stop: null }),
    tell: (told) => {
      switch (told.kind) {
        case "draining":
          return write(drainWords(agent, told));
        case "killing":
          killed = true;
          return write(`${agent} is killed: something of it did not end within its grace`);
        case "lost":
          lostTurns = told.turns.length;
          return write(describeLost(told.turns));
        default:
          told satisfies never;
      }
    },
  };
}

function drainWords(agent: string, { reason, inFlight, leftMs }: Extract<Told, { kind: "draining" }>): string {
  const why = reason === "idle" ? "is idle for too long" : "is asked to end";
  if (inFlight === 0) return `${agent} ${why}`;
  const turns = inFlight === 1 ? "a turn has" : `${inFlight} turns have`;
  return `${agent} ${why}; ${turns} up to ${Math.ceil(leftMs / 1000)} s`;
}

/** EX_CONFIG of sysexits.h: nothing was started, and another start would end the same. */
export const wrongSettings = 78;

/** Of the container: 0 for an end that was asked for and came in time, else the agent's own; 128 + n for signal n. */
export function exitCodeOf(ending: Ending, signalNumbers: Readonly<{ [name: string]: number }>): number {
  const bySignal = ending.signal === null ? null : 128 + (signalNumbers[ending.signal] ?? 0);
  switch (ending.reason) {
    case "stopped":
    case "idle":
      return ending.signal === "SIGKILL" ? (bySignal ?? 1) : 0;
    case "notStarted":
      return wrongSettings;
    default:
      return bySignal ?? ending.exitCode ?? 1;
  }
}
