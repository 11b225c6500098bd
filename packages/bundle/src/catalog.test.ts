import { execFileSync } from "node:child_process";
import fs from "node:fs";
import net from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { BundleError } from "./bundle-error.ts";
import { readCatalog } from "./catalog.ts";
import { flawsOf, plantTree, type Tree, temporaryFolder } from "./catalog-folder.fixture.ts";
import { pathMistake } from "./catalog-path.ts";
import { manifestBytes, parseManifest } from "./manifest.ts";
import { manifestOf } from "./signed-bundle.fixture.ts";

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

function codes(tree: Tree): string[] {
  return flawsOf(plantTree(folder, tree)).map(({ code }) => code);
}

test("what is hashed is what is handed on, sorted, normalised", () => {
  plantTree(folder, { "b/x.md": "\ufeffone\r\ntwo\r\n", "a.bin": "\r\n", "B.txt": "" });
  const content = new Map<string, string>();
  const catalog = readCatalog(folder, {
    onFile: (path, bytes) => content.set(path, Buffer.from(bytes).toString()),
  });
  expect([...content]).toEqual([
    ["B.txt", ""],
    ["a.bin", "\r\n"],
    ["b/x.md", "one\ntwo\n"],
  ]);
  expect(catalog.components.map(({ path, size }) => [path, size])).toEqual([
    ["B.txt", 0],
    ["a.bin", 2],
    ["b/x.md", 8],
  ]);
});

describe("paths", () => {
  test("names that collide in another case, or in another normal form, are refused with both", () => {
    const flaws = flawsOf(
      plantTree(folder, {
        "Read.md": "",
        "read.md": "",
        "caf\u00e9.md": "",
        "cafe\u0301.md": "",
        "stra\u00dfe/a": "",
        "STRASSE/b": "",
        "Stra\u1e9ee/c": "",
      }),
    );
    expect(flaws.map(({ code }) => code)).toEqual(Array.from({ length: 4 }, () => "pathCollision"));
    const told = flaws.map(({ message }) => message).join("\n");
    for (const name of ['"Read.md"', '"read.md"', '"caf\\u00e9.md"', '"cafe\\u0301.md"', '"stra\\u00dfe"', '"STRASSE"'])
      expect(told).toContain(name);
  });

  test("T03: a backslash in a name is refused, wherever the path would lead", () => {
    expect(codes({ "prompts\\..\\..\\etc.md": "" })).toEqual(["pathInvalid"]);
  });

  test("a name that is no UTF-8, or holds a control character", () => {
    plantTree(folder, { "good.md": "", "line\nfeed.md": "" });
    fs.writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0x61, 0xff, 0x2e, 0x6d, 0x64])]), "");
    expect(flawsOf(folder).map(({ code }) => code)).toEqual(["pathInvalid", "pathInvalid"]);
  });

  test("deeper than anybody means to, and just not so", () => {
    expect(codes({ [`${"d/".repeat(32)}a.md`]: "" })).toEqual(["tooDeep"]);
    fs.rmSync(folder, { recursive: true });
    const deepest = `${"d/".repeat(31)}a.md`;
    const { components, hash } = readCatalog(plantTree(folder, { [deepest]: "" }));
    expect(pathMistake(deepest)).toBeNull();
    const facts = { sequence: 1, parent: null, catalogHash: hash };
    expect(parseManifest(manifestBytes(manifestOf({}, { ...facts, components }))).components).toEqual(components);
  });

  test("a name that is too long only in its normal form", () => {
    // One that the normal form takes apart, and never puts together again.
    expect(codes({ [`${"\u{1d160}".repeat(60)}.md`]: "" })).toEqual(["pathInvalid"]);
  });

  test("a name that is one of ours on some systems alone, or nearly", () => {
    for (const [name, meant] of [
      ["catalog.yml", "catalog.yaml"],
      ["Catalog.yaml", "catalog.yaml"],
      [".MoorageIgnore", ".moorageignore"],
    ] as const) {
      const [flaw] = flawsOf(plantTree(join(folder, name), { [name]: "", "a.md": "" }));
      expect(flaw).toMatchObject({ code: "nearlyOurs", file: name, hint: `call it ${meant}` });
    }
    expect(readCatalog(plantTree(join(folder, "below"), { "shop/catalog.yml": "" })).components).toHaveLength(1);
  });
});

describe("links and special files", () => {
  test("links inside are followed, of files and of folders", () => {
    plantTree(folder, {
      "shared/a.md": "a\n",
      "agents/one": { link: "../shared" },
      "two.md": { link: "agents/one/a.md" },
    });
    expect(readCatalog(folder).components.map(({ path }) => path)).toEqual([
      "agents/one/a.md",
      "shared/a.md",
      "two.md",
    ]);
  });

  test.each<readonly [string, Tree]>([
    ["linkOutside", { "a.md": { link: "/etc/hostname" } }],
    ["linkOutside", { "a.md": { link: "../.." } }],
    ["linkBroken", { "a.md": { link: "nowhere" } }],
    ["linkCycle", { "a.md": { link: "a.md" } }],
    ["linkCycle", { "d/back": { link: ".." } }],
    ["linkCycle", { "d/e/back": { link: "../../d" } }],
  ])("%s: %j", (code, tree) => {
    expect(codes({ ...tree, "good.md": "good\n" })).toEqual([code]);
  });

  test("a folder beside the root whose name begins alike is outside", () => {
    plantTree(folder, {
      "catalog/a.md": "a\n",
      "catalog-two/b.md": "b\n",
      "catalog/b.md": { link: "../catalog-two/b.md" },
    });
    expect(flawsOf(join(folder, "catalog")).map(({ code }) => code)).toEqual(["linkOutside"]);
  });

  test("links that multiply folders meet the limits", () => {
    const tree: Record<string, { link: string }> = {};
    for (let level = 0; level < 20; level += 1)
      for (const side of ["a", "b"]) tree[`l${level}/${side}`] = { link: `../l${level + 1}` };
    expect(codes({ ...tree, "l20/a.md": "" })).toEqual([expect.stringMatching(/^tooMany/)]);
  });

  test("pipes, sockets and devices are refused, and nothing waits for them", async () => {
    plantTree(folder, { "good.md": "good\n" });
    execFileSync("mkfifo", [join(folder, "pipe.md")]);
    const server = net.createServer().listen(join(folder, "socket.md"));
    await new Promise((resolve) => server.once("listening", resolve));
    try {
      expect(flawsOf(folder).map(({ code, file }) => [code, file])).toEqual([
        ["specialFile", "pipe.md"],
        ["specialFile", "socket.md"],
      ]);
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  });
});

describe("limits are told before anything is read", () => {
  test("a file of 2 GB", () => {
    plantTree(folder, { "huge.bin": "" });
    fs.truncateSync(join(folder, "huge.bin"), 2 ** 31);
    const before = process.memoryUsage().rss;
    const began = performance.now();
    expect(flawsOf(folder).map(({ code, file }) => [code, file])).toEqual([["tooManyBytes", "huge.bin"]]);
    expect(performance.now() - began).toBeLessThan(1_000);
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
  });

  test("a hundred thousand empty files", () => {
    execFileSync("sh", ["-c", "seq 1 100000 | xargs touch"], { cwd: folder });
    const before = process.memoryUsage().rss;
    const began = performance.now();
    expect(flawsOf(folder).map(({ code }) => code)).toEqual(["tooManyEntries"]);
    expect(performance.now() - began).toBeLessThan(2_000);
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
  });

  test("fewer, but too many all the same", () => {
    plantTree(folder, { "a.md": "1", "b.md": "2", "c.md": "3" });
    const limits = { files: 2, entries: 100, bytes: 100 };
    expect(() => readCatalog(folder, { limits })).toThrow(BundleError);
    expect(() => readCatalog(folder, { limits: { ...limits, files: 3 } })).not.toThrow();
    expect(() => readCatalog(folder, { limits: { ...limits, files: 3, bytes: 2 } })).toThrow(BundleError);
  });
});

describe("the ignore file", () => {
  test("leaves out what it names, tells what and by which line, and which lines match nothing", () => {
    plantTree(folder, {
      ".moorageignore": "# not ours\n*.bak\n/drafts/\nnotes/**/*.tmp\nnever-there\n",
      "a.md": "a\n",
      "a.bak": "",
      "sub/b.bak": "",
      "drafts/c.md": "",
      "notes/x/y.tmp": "",
      "notes/drafts/kept.md": "kept\n",
      ".DS_Store": "",
    });
    const { components, ignored, unmatched } = readCatalog(folder);
    expect(components.map(({ path }) => path)).toEqual(["a.md", "notes/drafts/kept.md"]);
    expect(ignored).toEqual([
      { path: ".DS_Store", rule: ".DS_Store" },
      { path: ".moorageignore", rule: ".moorageignore" },
      { path: "a.bak", rule: "*.bak" },
      { path: "drafts", rule: "/drafts/" },
      { path: "notes/x/y.tmp", rule: "notes/**/*.tmp" },
      { path: "sub/b.bak", rule: "*.bak" },
    ]);
    expect(unmatched).toEqual([{ file: ".moorageignore", glob: "never-there" }]);
  });

  test("what is ignored may be anything", () => {
    plantTree(folder, {
      ".moorageignore": "bad*\n",
      "a.md": "",
      "bad-link": { link: "/etc" },
      "bad.json": "{",
      badly: { link: "no" },
    });
    expect(readCatalog(folder).components).toHaveLength(1);
  });

  test("a line with another meaning elsewhere is refused with its number", () => {
    const flaws = flawsOf(plantTree(folder, { ".moorageignore": "ok\n!not\n../up\na**\n", "a.md": "" }));
    expect(flaws.map(({ code, line }) => [code, line])).toEqual([
      ["ignoreRule", 2],
      ["ignoreRule", 3],
      ["ignoreRule", 4],
    ]);
  });
});

describe("T41: an empty catalog is refused", () => {
  test.each<readonly [string, Tree]>([
    ["nothing at all", {}],
    ["folders alone", { "a/b/.DS_Store": "" }],
    ["everything ignored", { ".moorageignore": "*\n", "a.md": "a" }],
  ])("%s", (_what, tree) => {
    expect(codes(tree)).toEqual(["catalogEmpty"]);
  });

  test("no folder, and none that is there", () => {
    plantTree(folder, { "a.md": "" });
    for (const place of ["nowhere", "a.md"])
      expect(flawsOf(join(folder, place)).map(({ code }) => code)).toEqual(["catalogMissing"]);
  });
});

describe("text files", () => {
  test.each<readonly [string, string, Uint8Array, number, number]>([
    ["notUtf8", "is not UTF-8 at byte 3", Buffer.from([0x61, 0x0a, 0x62, 0xff, 0x63]), 2, 2],
    ["notUtf8", "is not UTF-8 at byte 0", Buffer.from([0xff, 0xfe, 0x61, 0x00]), 1, 1],
    ["notUtf8", "is not UTF-8 at byte 5", Buffer.from("\ufffdab\u00e9", "utf8").subarray(0, 6), 1, 6],
    ["notUtf8", "is not UTF-8 at byte 1", Buffer.from([0x61, 0xed, 0xa0, 0x80]), 1, 2],
    ["nulInText", "holds a NUL", Buffer.from("a\nb\0"), 2, 2],
    ["loneCarriageReturn", "holds a carriage return", Buffer.from("a\r\nb\rc"), 2, 2],
  ])("%s: %s", (code, message, bytes, line, column) => {
    const [flaw] = flawsOf(plantTree(folder, { "p/a.MD": bytes }));
    expect(flaw).toMatchObject({ code, file: "p/a.MD", line, column });
    expect(flaw?.message).toContain(message);
  });

  test("T04: other files are bytes as they are", () => {
    plantTree(folder, { "a.bin": Buffer.from([0xff, 0x0d]) });
    expect(readCatalog(folder).components[0]?.size).toBe(2);
  });
});

test("a planted key is refused with file and line, whatever the file is called", () => {
  const token = ["gh", "p_", "abcdefghijklmnopqrstuvwxyz0123456789"].join("");
  const pem = ["-----BEGIN PRIV", "ATE KEY-----\nMC4C\n-----END PRIV", "ATE KEY-----\n"].join("");
  const flaws = flawsOf(
    plantTree(folder, {
      "a.md": `one\r\ntwo ${token}\r\n`,
      "key.pem": pem,
      ".env": `\n\nT=${token}\n`,
      "in-latin-1.ini": Buffer.from(`; f\u00fcr uns\nt=${token}\n`, "latin1"),
      "b.json": `{"t":"${token}"}`,
    }),
  );
  expect(flaws.map(({ code, file, line }) => [code, file, line])).toEqual([
    ["plantedSecret", ".env", 3],
    ["plantedSecret", "a.md", 2],
    ["plantedSecret", "b.json", 1],
    ["plantedSecret", "in-latin-1.ini", 2],
    ["plantedSecret", "key.pem", 1],
  ]);
  expect(JSON.stringify(flaws)).not.toContain(token);
});

test("a file that cannot be read is told, and so are all flaws at once", () => {
  const flaws = flawsOf(
    plantTree(folder, {
      "a.json": "{",
      "b.yaml": "a: 1\na: 2\n",
      "c.md": Buffer.from([0xff]),
      "d.json": '{"a":{"b":1,"b":2}}',
    }),
  );
  expect(flaws.map(({ code, file, line, column, path }) => [code, file, line, column, path])).toEqual([
    ["notJson", "a.json", 1, 2, ""],
    ["duplicateKey", "b.yaml", 2, 1, "a"],
    ["notUtf8", "c.md", 1, 1, ""],
    ["duplicateKey", "d.json", 1, 13, "a.b"],
  ]);
});
