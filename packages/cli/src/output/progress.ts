/** What long work waits for: one live line an agent on a screen, one plain line for each change elsewhere. */
import type { Journal, JournalEntry } from "@moorage/core";
import { describeDuration } from "../text/duration.ts";
import type { Output } from "./output.ts";

/** How often the elapsed time on a screen is drawn again, in milliseconds. */
const redrawMs = 200;
const spinner = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"] as const;

interface Line {
  readonly since: number;
  phase: string;
}

export interface Progress {
  /** A journal that tells the progress as well. */
  through(journal: Journal): Journal;
  begin(agent: string, phase: string): void;
  /** What it waits for has changed. */
  phase(agent: string, phase: string): void;
  /** The agent's work is over: its result takes the place of its line. */
  end(agent: string, result: string): void;
  /** Takes everything off the screen. Call it in the end, whatever happened. */
  close(): void;
}

/** The progress of several agents at once. `now` is a monotonic time in milliseconds. */
export function showProgress(output: Output, now: () => number): Progress {
  const lines = new Map<string, Line>();
  let drawn = 0;
  let timer: NodeJS.Timeout | undefined;
  let frame = 0;

  const clear = (): void => {
    // From the first column: a Ctrl-C has left its "^C" on the row.
    if (drawn > 0) output.draw(`\r\u001b[${drawn}A\u001b[0J`);
    drawn = 0;
  };
  const draw = (): void => {
    clear();
    const mark = spinner[frame % spinner.length] ?? "";
    for (const [agent, { since, phase }] of lines) {
      const text = `${mark} ${agent} (${describeDuration(now() - since)}): ${phase}`;
      output.draw(`${output.shown(fit(text, output.width))}\n`);
      drawn += 1;
    }
  };
  const live = output.terminal && !output.quiet;
  const refresh = (): void => {
    if (!live) return;
    draw();
    timer ??= setInterval(() => {
      frame += 1;
      draw();
    }, redrawMs);
  };
  const tell = (agent: string, phase: string): void => {
    const line = lines.get(agent);
    if (line === undefined || line.phase === phase) return;
    line.phase = phase;
    if (live) refresh();
    else output.progress(`${agent}: ${phase}`);
  };

  output.onPrint(clear);
  return {
    through: (journal) => ({
      append: (entry) => {
        journal.append(entry);
        const phase = phaseOf(entry);
        if (phase !== null) tell(entry.agent, phase);
        else if (output.verbose) output.progress(`${entry.agent}: ${entry.step}: ${entry.message}`);
      },
    }),
    begin: (agent, phase) => {
      lines.set(agent, { since: now(), phase });
      refresh();
    },
    phase: tell,
    end: (agent, result) => {
      lines.delete(agent);
      output.line(result);
      refresh();
    },
    close: () => {
      clearInterval(timer);
      clear();
      output.onPrint(() => undefined);
    },
  };
}

/** What a step of the journal means to somebody who waits; null for what is no news. */
function phaseOf({ step, code, message }: JournalEntry): string | null {
  switch (step) {
    case "create":
      return code === "created" ? "created; starting" : message;
    case "delete":
    case "wait":
    case "warn":
      return message;
    case "read":
    case "decide":
    case "collect":
    case "update":
    case "end":
      return null;
    default:
      return step satisfies never;
  }
}

/** At most one row of the screen: a longer line could not be taken back. */
function fit(text: string, width: number): string {
  const [first = ""] = text.split("\n");
  return first.length < width ? first : `${first.slice(0, Math.max(1, width - 2))}…`;
}
