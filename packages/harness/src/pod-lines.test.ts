import { execFileSync } from "node:child_process";
import fs, { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { writeLine } from "./pod-lines.ts";

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "l-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

it("a line is one line with our name before it, whatever is in it", () => {
  const fd = fs.openSync(join(directory, "out"), "w");
  writeLine("a path with\na line end", fd);
  fs.closeSync(fd);
  expect(fs.readFileSync(join(directory, "out"), "utf8")).toBe("moorage: a path with a line end\n");
});

it("a full pipe that does not block, and one that nobody reads, keep nobody from going on", () => {
  const fifo = join(directory, "fifo");
  execFileSync("mkfifo", [fifo]);
  const { O_NONBLOCK, O_RDONLY, O_WRONLY } = fs.constants;
  const reader = fs.openSync(fifo, O_RDONLY | O_NONBLOCK);
  const writer = fs.openSync(fifo, O_WRONLY | O_NONBLOCK);
  for (let full = false; !full; ) {
    try {
      fs.writeSync(writer, Buffer.alloc(4_096, "."));
    } catch {
      full = true;
    }
  }
  writeLine("nobody reads so far", writer);
  fs.closeSync(reader);
  writeLine("nobody reads any more", writer);
  fs.closeSync(writer);
});
