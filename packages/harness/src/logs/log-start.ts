/** Where a reader has to begin, so that it need not read everything. */
import { type FileHandle, open } from "node:fs/promises";
import { logFileNumbers, logFilePath } from "./log-files.ts";
import { newline, parseRecord } from "./log-format.ts";

export interface LogPosition {
  readonly number: number;
  readonly offset: number;
}

const blockBytes = 65_536;
/** Longer than the head of any record. */
const headBytes = 64;

/** The beginning of the first file that can hold records since that time, in milliseconds since 1970. Null: no file. */
export async function startOfTime(directory: string, since: number): Promise<LogPosition | null> {
  const numbers = logFileNumbers(directory);
  let first = numbers[0];
  for (const number of numbers.slice(1)) {
    const time = await withFile(directory, number, async (file) => {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
      return parseRecord(buffer.subarray(0, bytesRead))?.time;
    });
    if (time === undefined || time >= since) break;
    first = number;
  }
  return first === undefined ? null : { number: first, offset: 0 };
}

/** A place from which at least that many ends of lines follow, or the beginning of everything. Null: no file. */
export async function startOfTail(directory: string, lines: number): Promise<LogPosition | null> {
  const numbers = logFileNumbers(directory);
  let missing = lines;
  for (const number of [...numbers].reverse()) {
    const found = await withFile(directory, number, (file) => scanBackwards(file, missing));
    if (found === undefined) continue;
    if (found.offset !== null) return { number, offset: found.offset };
    missing -= found.ends;
  }
  return numbers[0] === undefined ? null : { number: numbers[0], offset: 0 };
}

/** Counts ends of lines from the end of a file; `offset` is right after the one before the wanted ones, when it is in this file. */
async function scanBackwards(file: FileHandle, wanted: number): Promise<{ ends: number; offset: number | null }> {
  const { size } = await file.stat();
  let ends = 0;
  // Ends of records are looked for from `upTo` down; what stands behind one, up to the next, is a record.
  let upTo = size;
  let behind: Buffer = Buffer.alloc(0);
  while (upTo > 0) {
    const from = Math.max(0, upTo - blockBytes);
    const { buffer } = await file.read(Buffer.alloc(upTo - from), 0, upTo - from, from);
    const block = Buffer.concat([buffer, behind.subarray(0, headBytes)]);
    for (let at = buffer.lastIndexOf(newline); at >= 0; at = at === 0 ? -1 : buffer.lastIndexOf(newline, at - 1)) {
      if (parseRecord(block.subarray(at + 1, at + 1 + headBytes))?.ends !== true) continue;
      if (ends === wanted) return { ends, offset: await endOfLine(file, from + at + 1) };
      ends++;
    }
    behind = block;
    upTo = from;
  }
  if (parseRecord(behind.subarray(0, headBytes))?.ends === true) {
    if (ends === wanted) return { ends, offset: await endOfLine(file, 0) };
    ends++;
  }
  return { ends, offset: null };
}

/** The offset right after the record that begins there. */
async function endOfLine(file: FileHandle, offset: number): Promise<number> {
  for (let at = offset; ; at += blockBytes) {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(blockBytes), 0, blockBytes, at);
    const end = buffer.subarray(0, bytesRead).indexOf(newline);
    if (end >= 0) return at + end + 1;
    if (bytesRead === 0) return at;
  }
}

/** Undefined where the file was removed meanwhile. */
async function withFile<T>(
  directory: string,
  number: number,
  use: (file: FileHandle) => Promise<T>,
): Promise<T | undefined> {
  const file = await open(logFilePath(directory, number), "r").catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}
