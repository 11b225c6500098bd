import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diagnosePull } from "./pull-failure.ts";

interface Text {
  readonly reason: string;
  readonly message: string;
}

function read(path: string): readonly Text[] {
  return JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8")) as readonly Text[];
}

const texts = [...read("../../../test/cases/pull-messages.json"), ...read("./recorded/pull-messages.json")];
const text = fc.constantFrom(...texts);

const misleading = [
  "401",
  "403",
  "404",
  "429",
  "500",
  "denied",
  "unauthorized",
  "not-found",
  "not_found",
  "forbidden",
  "manifest-unknown",
  "eof",
  "timeout",
  "x509",
  "signature",
];
// Dates and commits are often part of a name.
const part = fc.constantFrom(...misleading, "acme", "app", "app-20260101", "denied-0123456789abcdef", "20260101-403");
const repository = fc.array(part, { minLength: 2, maxLength: 4 }).map((parts) => parts.join("/"));
const hex = fc.array(fc.constantFrom("401", "403", "404", "429", "503", "a", "f"), { minLength: 64, maxLength: 64 });
const digest = hex.map((parts) => `sha256:${parts.join("").slice(0, 64)}`);
const account = fc
  .array(fc.constantFrom("401", "403", "404", "429"), { minLength: 4, maxLength: 4 })
  .map((parts) => parts.join(""));
const address = fc
  .tuple(repository, fc.constantFrom("manifests", "blobs", "token"), fc.constantFrom("401", "403", "404"))
  .map(([name, kind, code]) => `https://registry.example/v2/${name}/${kind}/${code}?status=${code}&error=unauthorized`);
const noise = fc.oneof(
  digest,
  account,
  address,
  repository.map((name) => `registry.example:5000/${name}:404`),
);

function verdict({ reason, message }: Text): string {
  return diagnosePull(reason, message).verdict;
}

describe("a verdict", () => {
  it("does not change with digests, addresses, references and account numbers, however they read", () => {
    fc.assert(
      fc.property(text, fc.array(noise, { minLength: 1, maxLength: 3 }), (one, added) => {
        expect(verdict({ ...one, message: `${one.message} ${added.join(" ")}` })).toBe(verdict(one));
      }),
      { numRuns: 2_000 },
    );
  });

  it("of what may pass never becomes permanent with the name of a repository", () => {
    const passing = texts.filter((one) => verdict(one) === "recoverable");
    fc.assert(
      fc.property(
        fc.constantFrom(...passing),
        repository,
        fc.constantFrom("401", "denied", "not-found"),
        (one, name, tag) => {
          const renamed = one.message
            .replaceAll(/acme\/app(?=[:@/"\s,])/g, name)
            .replaceAll(/(?<=registry\.example\.com\/)[a-z/]+:[\w.]+/g, `${name}:${tag}`);
          expect(verdict({ ...one, message: renamed })).toBe("recoverable");
          expect(verdict({ ...one, message: `${one.message}: pulling "registry.example/${name}:${tag}"` })).toBe(
            "recoverable",
          );
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it("is the same for what a JSON string made of it", () => {
    fc.assert(
      fc.property(text, (one) => {
        fc.pre(!/back-off pulling/i.test(one.message));
        expect(verdict({ ...one, message: JSON.stringify(one.message).slice(1, -1) })).toBe(verdict(one));
      }),
    );
  });

  it("is given for every text", () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ unit: "binary" }), (reason, message) => {
        expect(diagnosePull(reason, message).cause).not.toBe("");
      }),
    );
  });
});
