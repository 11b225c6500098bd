/** Reads stored records forwards, file after file, each exactly once however the files are rotated meanwhile. */
import { type FileHandle, open } from "node:fs/promises";
import { logFileNumbers, logFilePath } from "./log-files.ts";
import { type LogRecord, longestPiece, newline, parseRecord } from "./log-format.ts";
import type { LogPosition } from "./log-start.ts";

export type CursorRead =
  | { readonly kind: "records"; readonly records: readonly LogRecord[] }
  | { readonly kind: "gap"; readonly files: number }
  /** Nothing more is there now. */
  | { readonly kind: "end" };

/** Room for the longest record, so that a read always holds a whole one. */
const readBytes = longestPiece * 2;

export class LogCursor {
  readonly #directory: string;
  #number: number | null;
  #offset: number;
  #file: FileHandle | null = null;

  /** Without a position it begins with the oldest file, once there is one. */
  constructor(directory: string, from: LogPosition | null) {
    this.#directory = directory;
    this.#number = from?.number ?? null;
    this.#offset = from?.offset ?? 0;
  }

  async next(): Promise<CursorRead> {
    if (this.#file === null) {
      const opened = await this.#openFrom(this.#number ?? 0);
      if (opened !== null) return opened;
    }
    // Listed before the read: the writer begins a file only when it has finished the one before.
    const newer = logFileNumbers(this.#directory).some((number) => number > (this.#number ?? 0));
    const records = await this.#read();
    if (records.length > 0) return { kind: "records", records };
    if (!newer) return { kind: "end" };
    await this.close();
    return (await this.#openFrom((this.#number ?? 0) + 1)) ?? this.next();
  }

  async close(): Promise<void> {
    await this.#file?.close();
    this.#file = null;
  }

  /** Opens that file or the first one after it. Null: opened, and nothing was missed. */
  async #openFrom(wanted: number): Promise<CursorRead | null> {
    for (const number of logFileNumbers(this.#directory).filter((each) => each >= wanted)) {
      const file = await open(logFilePath(this.#directory, number), "r").catch(() => null);
      if (file === null) continue;
      this.#file = file;
      if (number !== this.#number) this.#offset = 0;
      const missed = this.#number === null ? 0 : number - wanted;
      this.#number = number;
      return missed > 0 ? { kind: "gap", files: missed } : null;
    }
    return { kind: "end" };
  }

  /** Whole records only: an end that is still being written is read again next time. */
  async #read(): Promise<readonly LogRecord[]> {
    for (const file = this.#file; file !== null; ) {
      const { size } = await file.stat();
      if (size <= this.#offset) return [];
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(readBytes), 0, readBytes, this.#offset);
      const { records, used } = wholeRecords(buffer.subarray(0, bytesRead));
      // A full read without any end of a record holds none of ours.
      this.#offset += used === 0 && bytesRead === readBytes ? bytesRead : used;
      if (records.length > 0 || bytesRead < readBytes) return records;
    }
    return [];
  }
}

function wholeRecords(bytes: Buffer): { readonly records: readonly LogRecord[]; readonly used: number } {
  const records: LogRecord[] = [];
  let used = 0;
  for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline, used)) {
    const record = parseRecord(bytes.subarray(used, end));
    if (record !== null) records.push(record);
    used = end + 1;
  }
  return { records, used };
}
