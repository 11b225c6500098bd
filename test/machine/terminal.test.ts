/** The command in a real terminal: one live line an agent, nothing of it left behind, Ctrl-C from the keyboard. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, it } from "vitest";
import { command, Place } from "./place.ts";
import { until } from "./until.ts";

const hasTmux = ((): boolean => {
  try {
    execFileSync("tmux", ["-V"]);
    return true;
  } catch {
    return false;
  }
})();

/** A terminal of 100 columns, in a tmux server of its own: the place ends it as it ends everything that runs in its folder. */
class Terminal {
  readonly #socket: string;
  readonly #place: Place;

  constructor(place: Place) {
    this.#place = place;
    this.#socket = join(place.dir, "tmux");
    this.#tmux("-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "40", "-c", place.dir, "sh");
  }

  moorage(...args: string[]): void {
    this.type(`${command.join(" ")} ${args.join(" ")} --state=${this.#place.state}; echo "exit $?"`);
  }

  type(line: string): void {
    this.#tmux("send-keys", "-l", line);
    this.#tmux("send-keys", "Enter");
  }

  press(key: string): void {
    this.#tmux("send-keys", key);
  }

  /** What is on the screen now, line by line. */
  screen(): string[] {
    return this.#tmux("capture-pane", "-p", "-J").trimEnd().split("\n");
  }

  #tmux(...args: string[]): string {
    const env = { ...this.#place.env(), TERM: "xterm-256color", PS1: "$ " };
    return execFileSync("tmux", ["-S", this.#socket, ...args], { encoding: "utf8", env });
  }
}

describe.skipIf(!hasTmux)(`in a terminal${hasTmux ? "" : " (needs tmux)"}`, () => {
  it("draws one live line while it waits, and leaves the result alone", async ({ expect }) => {
    await using place = new Place();
    place.declare("a", 'run: { command: [sleep, "600"] }\ndrain: 1s\ngrace: 2s\n');
    const terminal = new Terminal(place);
    terminal.moorage("deploy", "--settle", "3s");
    await until("the live line", () => terminal.screen().some((line) => /^[⠀-⣿] a \(\d/.test(line)));
    await until("its end", () => terminal.screen().some((line) => line.startsWith("exit ")), 60_000);
    const lines = terminal.screen();
    expect(lines).toContain("exit 0");
    expect(lines.filter((line) => /^[⠀-⣿]/.test(line))).toEqual([]);
    expect(lines.filter((line) => line.startsWith("a: started, after "))).toHaveLength(1);
  });

  it("takes Ctrl-C: exit 130, and what was started goes on", async ({ expect }) => {
    await using place = new Place();
    place.declare("a", 'run: { command: [sleep, "600"] }\ndrain: 1s\ngrace: 2s\n');
    const terminal = new Terminal(place);
    terminal.moorage("deploy", "--settle", "600s");
    await until("the agent to run", async () => (await place.status("a")).state === "running", 60_000);
    terminal.press("C-c");
    await until("its end", () => terminal.screen().some((line) => line.startsWith("exit ")), 60_000);
    const lines = terminal.screen();
    expect(lines).toContain("exit 130");
    expect(lines[lines.indexOf("exit 130") - 1]).toContain("what was started goes on");
    expect((await place.status("a")).state).toBe("running");
  });

  it("draws a watched status over itself", async ({ expect }) => {
    await using place = new Place();
    await place.deploy("a", "sleep", "600");
    const terminal = new Terminal(place);
    terminal.moorage("status", "--watch");
    await until("the table", () => terminal.screen().some((line) => /^a +running/.test(line)));
    await place.mustRun(["stop", "a"]);
    await until("the change", () => terminal.screen().some((line) => line.startsWith("no agent is here")));
    expect(terminal.screen().filter((line) => line.startsWith("AGENT"))).toEqual([]);
    terminal.press("C-c");
    await until("its end", () => terminal.screen().includes("exit 130"));
  });
});
