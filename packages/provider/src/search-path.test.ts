import { describe, expect, it } from "vitest";
import { searchPath } from "./search-path.ts";

const front = "/opt/homebrew/bin:/usr/local/bin:/home/ada/.local/bin";

describe("programs are looked for", () => {
  it.each([
    ["in the usual places first", "/usr/bin:/bin", `${front}:/usr/bin:/bin`],
    ["in no place twice", "/usr/bin:/usr/local/bin:/home/ada/.local/bin:/bin", `${front}:/usr/bin:/bin`],
    ["in the usual places alone without a PATH", undefined, front],
    ["in the usual places alone with an empty PATH", "", front],
    ["never where this happens to run, as an empty place would say", ":/usr/bin::/bin:", `${front}:/usr/bin:/bin`],
    ["in the order of the PATH", "/b:/a:/b", `${front}:/b:/a:/b`],
  ])("%s", (_, path, expected) => {
    expect(searchPath(path, "/home/ada")).toBe(expected);
  });

  it("in no home of whoever has none", () => {
    expect(searchPath("/usr/bin", null)).toBe("/opt/homebrew/bin:/usr/local/bin:/usr/bin");
  });
});
