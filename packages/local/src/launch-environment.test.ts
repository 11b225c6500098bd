import { expect, it } from "vitest";
import { launchEnvironment, networkVariablesNotPassed } from "./launch-environment.ts";

it("hands on the few variables that every program needs, and nothing of the tool that deploys", () => {
  const caller = {
    PATH: "/bin",
    HOME: "/home/me",
    USER: "me",
    LOGNAME: "me",
    SHELL: "/bin/sh",
    TMPDIR: "/tmp",
    LANG: "de_DE.UTF-8",
    LC_TIME: "C",
    TZ: "UTC",
    CLAUDECODE: "1",
    ANTHROPIC_BASE_URL: "x",
    NODE_OPTIONS: "--inspect",
    LCARS: "no locale",
    EMPTY: undefined,
  };
  expect(Object.keys(launchEnvironment(caller)).sort()).toEqual(
    ["HOME", "LANG", "LC_TIME", "LOGNAME", "PATH", "SHELL", "TMPDIR", "TZ", "USER"].sort(),
  );
});

it("names proxy and CA variables that are set and not declared", () => {
  const caller = { HTTPS_PROXY: "http://proxy", no_proxy: "", SSL_CERT_FILE: "/ca.pem", PATH: "/bin" };
  expect(networkVariablesNotPassed(caller, new Set(["SSL_CERT_FILE"]))).toEqual(["HTTPS_PROXY"]);
});
