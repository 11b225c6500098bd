/** A digest of a trace: two histories that differ in one line differ in it. */

/** FNV-1a over the lines, in two halves. */
export function traceDigest(): { add(line: string): void; value(): string } {
  let a = 0x811c9dc5;
  let b = 0x1000193;
  return {
    add(line) {
      for (let at = 0; at < line.length; at += 1) {
        a = Math.imul(a ^ line.charCodeAt(at), 0x01000193);
        b = Math.imul(b ^ line.charCodeAt(at), 0x85ebca6b);
      }
    },
    value: () => (a >>> 0).toString(16).padStart(8, "0") + (b >>> 0).toString(16).padStart(8, "0"),
  };
}
