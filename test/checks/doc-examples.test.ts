// The docs' examples are found as a reader sees them: fences, calls of the command, links.
import { expect, test } from "vitest";
import { commandLinesOf, examplesOf, fileLinksOf } from "../../scripts/doc-examples.ts";

const fence = "```";

test("fences are found with their language, their mark and their line", () => {
  const text = `# Title\n\n${fence}sh\nmoorage status\n${fence}\n\n- item\n  ${fence}ts unchecked\n  const a = 1;\n  ${fence}\n`;
  expect(examplesOf(text)).toEqual([
    { language: "sh", info: "", line: 3, text: "moorage status" },
    { language: "ts", info: "unchecked", line: 8, text: "const a = 1;" },
  ]);
});

test("in a session only the lines behind a prompt are calls", () => {
  expect(commandLinesOf("$ moorage deploy scribe   # starts one\nmoorage says: started\n$ ls\n")).toEqual([
    ["moorage", "deploy", "scribe"],
  ]);
});

test("variables, npx, pipes, continued lines and quotes are seen through", () => {
  const shell = 'KEY=1 npx moorage deploy --json | jq .\nls && moorage explain \\\n  --pull-message "not found"';
  expect(commandLinesOf(shell)).toEqual([
    ["moorage", "deploy", "--json"],
    ["moorage", "explain", "--pull-message", '"not found"'],
  ]);
});

test("links to files are found, those to the web, within the page and in code are not", () => {
  const text = `[a](docs/a.md#part) [b](https://example.org) [c](#part)\n${fence}md\n[d](d.md)\n${fence}\n[e](../e.md)\n`;
  expect(fileLinksOf(text)).toEqual([
    { target: "docs/a.md", line: 1 },
    { target: "../e.md", line: 5 },
  ]);
});
