import { expect, test } from "vitest";
import { launchdPlist, systemdUnit, unitMarginSeconds } from "./units.ts";

const spec = {
  id: "0123abcd",
  description: "Moorage keeps 100% of a",
  command: ["/opt/my node/bin/node", "/x/$y.mjs", "keep", '--file=/a "b"/agent.yaml'],
  directory: "/home/me/a & b",
  environment: { PATH: "/nvm/bin:/usr/bin" },
  longestGraceMs: 300_000,
};

test("a unit's limit is more than the largest grace: no stop is cut short by the manager", () => {
  expect(systemdUnit(spec)).toContain(`\nTimeoutStopSec=${300 + unitMarginSeconds}\n`);
  expect(launchdPlist(spec)).toContain(`<integer>${300 + unitMarginSeconds}</integer>`);
});

test("a unit that restarts takes no agent along, and one child that ran out of memory does not end the rest", () => {
  const unit = systemdUnit(spec);
  expect(unit).toContain("\nKillMode=process\n");
  expect(unit).toContain("\nOOMPolicy=continue\n");
  expect(launchdPlist(spec)).toMatch(/<key>AbandonProcessGroup<\/key>\s*<true\/>/);
});

test("the PATH of the install is recorded: a manager's own is short", () => {
  expect(systemdUnit(spec)).toContain('\nEnvironment="PATH=/nvm/bin:/usr/bin"\n');
  expect(launchdPlist(spec)).toContain("<string>/nvm/bin:/usr/bin</string>");
});

test("words are taken literally: spaces, quotes, specifiers and variables", () => {
  expect(systemdUnit(spec)).toContain(
    'ExecStart="/opt/my node/bin/node" "/x/$$y.mjs" "keep" "--file=/a \\"b\\"/agent.yaml"\n',
  );
  expect(systemdUnit(spec)).toContain("Description=Moorage keeps 100%% of a\n");
  expect(launchdPlist(spec)).toContain("<string>/home/me/a &amp; b</string>");
});
