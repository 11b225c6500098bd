import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseImageReference, pinImage } from "./image-reference.ts";

const sha = `sha256:${"0123456789abcdef".repeat(4)}`;

function parts(text: string): unknown {
  const parsed = parseImageReference(text);
  if (parsed.kind === "invalid") return parsed.reason;
  const { domain, path, tag, digest, short } = parsed.reference;
  return [domain, path, tag, digest, short];
}

describe("parseImageReference", () => {
  it.each([
    ["nginx", ["docker.io", "library/nginx", null, null, true]],
    ["nginx:1.27", ["docker.io", "library/nginx", "1.27", null, true]],
    ["acme/app", ["docker.io", "acme/app", null, null, true]],
    ["docker.io/nginx", ["docker.io", "library/nginx", null, null, false]],
    ["index.docker.io/acme/app:1", ["docker.io", "acme/app", "1", null, false]],
    ["localhost/app", ["localhost", "app", null, null, false]],
    ["localhost:5000/app:1", ["localhost:5000", "app", "1", null, false]],
    ["registry.example/a/b/c:v1.2-rc_3", ["registry.example", "a/b/c", "v1.2-rc_3", null, false]],
    [`registry.example:443/app:1@${sha}`, ["registry.example:443", "app", "1", sha, false]],
    [`app@${sha}`, ["docker.io", "library/app", null, sha, true]],
    ["[2001:db8::1]:5000/app", ["[2001:db8::1]:5000", "app", null, null, false]],
    ["[2001:db8::1]/app", ["[2001:db8::1]", "app", null, null, false]],
    ["192.0.2.1:5000/app", ["192.0.2.1:5000", "app", null, null, false]],
    ["registry.example/a__b/c--d/e.f", ["registry.example", "a__b/c--d/e.f", null, null, false]],
    // A first part with capitals is a registry's name: the kubelet has read it so since 2023.
    ["Acme/app", ["Acme", "app", null, null, false]],
    ["foo:5000", ["docker.io", "library/foo", "5000", null, true]],
    [`app@sha512:${"a".repeat(128)}`, ["docker.io", "library/app", null, `sha512:${"a".repeat(128)}`, true]],
  ])("reads %s", (text, expected) => {
    expect(parts(text)).toEqual(expected);
  });

  it.each([
    ["", "empty"],
    [" nginx", "white space"],
    ["nginx latest", "white space"],
    ["nginx\n", "white space"],
    ["https://registry.example/app:1", "URL"],
    ["docker://registry.example/app:1", "URL"],
    ["a".repeat(64), "ID"],
    ["acme/App:1", "capital"],
    ["registry.example/Acme/app", "capital"],
    ["NGINX", "capital"],
    ["${REPOSITORY}/app:1", "no registry"],
    ["{{image}}", "no repository"],
    ["app:", "no tag"],
    ["app:.1", "no tag"],
    [`app:${"a".repeat(129)}`, "no tag"],
    ["app:1:2", "no tag"],
    ["app:tag/with/slash", "port is no number"],
    ["app@latest", "no digest"],
    ["app@sha256:abc", "3 hex digits"],
    ["app@md5:d41d8cd98f00b204e9800998ecf8427e", "no digest"],
    [`app@${sha.toUpperCase()}`, "no digest"],
    [`app@sha256:${"A".repeat(64)}`, "lower-case"],
    [`app@${sha}@${sha}`, "lower-case"],
    [`app@constructor:${"a".repeat(64)}`, "no digest"],
    ["-app", "no repository"],
    ["app-", "no repository"],
    ["acme//app", "no repository"],
    ["/app", "no repository"],
    ["app/", "no repository"],
    ["registry.example/", "no repository"],
    ["registry.example:port/app", "port is no number"],
    ["registry.example:/app", "port is no number"],
    ["registry_example.com/app", "no registry"],
    ["registry.example/a___b", "no repository"],
    ["registry.example/a..b", "no repository"],
    [`registry.example/${"a".repeat(256)}`, "255"],
    ["[2001:db8::1/app", "no registry"],
    ["app".repeat(1000), "too long"],
  ])("refuses %j", (text, reason) => {
    expect(parts(text)).toContain(reason);
  });

  it("is total, and what it accepts keeps its parts", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[a-zA-Z0-9.:/@_[\]-]{0,40}$/)), (text) => {
        const parsed = parseImageReference(text);
        if (parsed.kind === "invalid") {
          expect(parsed.reason).not.toBe("");
          return;
        }
        const { name, tag, digest } = parsed.reference;
        expect(`${name}${tag === null ? "" : `:${tag}`}${digest === null ? "" : `@${digest}`}`).toBe(text);
      }),
    );
  });
});

describe("pinImage", () => {
  it("takes a digest as a pin, and uses it without the tag", () => {
    expect(pinImage(`registry.example/app@${sha}`)).toEqual({ kind: "pinned", image: `registry.example/app@${sha}` });
    expect(pinImage(`registry.example:5000/app:1.2@${sha}`)).toEqual({
      kind: "pinned",
      image: `registry.example:5000/app@${sha}`,
    });
  });

  it("says that a tag moves, and that nothing moves too", () => {
    expect(pinImage("registry.example/app:1.2")).toEqual({ kind: "movable", image: "registry.example/app:1.2" });
    expect(pinImage("app")).toEqual({ kind: "movable", image: "app" });
    expect(pinImage("App")).toMatchObject({ kind: "invalid" });
  });
});
