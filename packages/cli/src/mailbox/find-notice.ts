/** Which notice a person means: by its id, or by as much of its beginning as no other has. */
import type { Notice } from "@moorage/core";
import { CliError, usageError } from "../errors/cli-error.ts";
import { didYouMean } from "../text/did-you-mean.ts";

const leastDigits = 4;

/** As much of an id as tells it from all others, four digits at least. */
export function shortId(id: string, all: readonly Pick<Notice, "id">[]): string {
  const others = all.filter((other) => other.id !== id);
  let length = leastDigits;
  while (length < id.length && others.some((other) => other.id.startsWith(id.slice(0, length)))) length += 1;
  return id.slice(0, length);
}

/** Throws `noSuchNotice` and `usage`, both exit 2. */
export function findNotice(word: string, all: readonly Notice[]): Notice {
  const text = word.toLowerCase();
  const found = all.filter(({ id }) => id.startsWith(text));
  const whole = found.find(({ id }) => id === text);
  const [only] = found;
  if (whole !== undefined) return whole;
  if (only !== undefined && text !== "" && found.length === 1) return only;
  if (found.length > 1)
    throw usageError(
      `${JSON.stringify(word)} is the beginning of ${found.length} notices`,
      `write more of it: ${found.map(({ id }) => shortId(id, all)).join(", ")}`,
    );
  const shown = all.map(({ id }) => shortId(id, all));
  const meant = didYouMean(text, [...shown, ...all.map(({ id }) => id)]);
  throw new CliError({
    code: "noSuchNotice",
    message: `there is no notice ${JSON.stringify(word)}`,
    hint: meant === undefined ? "`moorage mailbox list --all` shows what is there" : `did you mean ${meant}?`,
    details: { id: word },
  });
}
