/** Where programs are looked for: a desktop is often started with a PATH that has no place for a cloud's credential plugin. */
import { delimiter, join } from "node:path";

const usual = ["/opt/homebrew/bin", "/usr/local/bin"];

/** PATH with the usual places in front; `home` null: whoever runs this has none. */
export function searchPath(path: string | undefined, home: string | null): string {
  const front = [...usual, ...(home === null ? [] : [join(home, ".local", "bin")])];
  const rest = (path ?? "").split(delimiter).filter((place) => place !== "" && !front.includes(place));
  return [...front, ...rest].join(delimiter);
}
