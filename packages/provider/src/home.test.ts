import { userInfo } from "node:os";
import { describe, expect, it } from "vitest";
import { homeOf } from "./home.ts";

describe("the home folder", () => {
  it("is the one that is told", () => {
    expect(homeOf({ HOME: "/home/ada" })).toBe("/home/ada");
  });

  it.each([{}, { HOME: undefined }, { HOME: "" }])("is the system's where nobody tells one: %j", (env) => {
    expect(homeOf(env)).toBe(userInfo().homedir);
  });
});
