/** Everything that the command prints goes through here: redacted, for people or as JSON, quiet when nobody reads any more. */
import type { Redactor } from "@moorage/core";
import { redactor } from "@moorage/core";
import { jsonVersion } from "../json/version.ts";

export interface OutputStreams {
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}

export interface OutputOptions {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly color: boolean;
  /** Standard output is a screen that can be drawn on. */
  readonly terminal: boolean;
}

const codes = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 } as const;
export type Style = keyof typeof codes;

/** Kinds that tell what others wrote, as they wrote it. */
const told = new Set(["LogLine", "JournalEntry", "ClusterEvent"]);

export class Output {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly terminal: boolean;
  readonly #color: boolean;
  readonly #streams: OutputStreams;
  readonly #closed = new AbortController();
  #fault: Error | null = null;
  #secrets: readonly string[] = [];
  #redact: Redactor = redactor([]);
  #address: (text: string) => string = (text) => text;
  /** What has to be taken off the screen before anything else is printed. */
  #beforePrint: () => void = () => undefined;

  constructor(streams: OutputStreams, { json, quiet, verbose, color, terminal }: OutputOptions) {
    this.#streams = streams;
    this.json = json;
    this.quiet = quiet;
    this.verbose = verbose;
    this.#color = color;
    this.terminal = terminal;
    streams.stdout.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE" && error.code !== "EIO") this.#fault = error;
      this.#closed.abort();
    });
    // The answer is not there: it counts.
    streams.stderr.on("error", () => undefined);
  }

  /** Aborts once nobody reads standard output any more. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  /** Why the answer did not arrive, such as a full disk; null: it did, or nobody wanted it any more. */
  async fault(): Promise<Error | null> {
    // A stream tells its errors after the write.
    await new Promise((resolve) => setImmediate(resolve));
    return this.#fault;
  }

  get width(): number {
    return this.#streams.stdout.columns || 80;
  }

  /** From here on these values are hidden too. */
  hide(values: readonly string[]): void {
    this.#secrets = [...this.#secrets, ...values];
    this.#redact = redactor(this.#secrets);
  }

  /** From here on the commands that a text tells to run get the flags that reach the same agents. */
  address(address: (text: string) => string): void {
    this.#address = address;
  }

  /** As a person may see it: for text that is drawn. */
  shown(text: string): string {
    return this.#redact(this.#address(text));
  }

  redact(text: string): string {
    return this.#redact(text);
  }

  onPrint(clear: () => void): void {
    this.#beforePrint = clear;
  }

  /** A result for people. Not with --json. */
  line(text: string): void {
    if (!this.json) this.write(`${this.#address(text)}\n`);
  }

  /** What happens meanwhile, for people. Not with --json or --quiet. */
  progress(text: string): void {
    if (!this.quiet) this.line(text);
  }

  /** A warning or a hint beside the result: on standard error, so that JSON stays alone. */
  warn(text: string): void {
    if (this.quiet) return;
    this.#beforePrint();
    this.#write(this.#streams.stderr, `${this.style("yellow", "warning:")} ${this.#address(text)}\n`);
  }

  /** The one object of `--json`, or one of a stream. Strings are redacted one by one, so that it stays JSON. */
  object(kind: string, fields: object): void {
    const plain = JSON.stringify({ apiVersion: jsonVersion, kind, ...fields }, (_key, value: unknown) =>
      typeof value === "string" ? this.#redact(told.has(kind) ? value : this.#address(value)) : value,
    );
    this.#write(this.#streams.stdout, `${plain}\n`, false);
  }

  error(text: string): void {
    this.#beforePrint();
    this.#write(this.#streams.stderr, `${this.#address(text)}\n`);
  }

  /** Text as it is, on standard output. */
  write(text: string): void {
    this.#beforePrint();
    this.#write(this.#streams.stdout, text);
  }

  /** For drawing: already redacted, and nothing is cleared before it. */
  draw(text: string): void {
    this.#write(this.#streams.stdout, text, false);
  }

  style(style: Style, text: string): string {
    return this.#color ? `\u001b[${codes[style]}m${text}\u001b[0m` : text;
  }

  #write(stream: NodeJS.WriteStream, text: string, redact = true): void {
    if (this.#closed.signal.aborted && stream === this.#streams.stdout) return;
    stream.write(redact ? this.#redact(text) : text);
  }
}
