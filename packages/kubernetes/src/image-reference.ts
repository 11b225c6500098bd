/** The grammar of image references: what is provably invalid, what a reference names, and whether a digest pins it. */

/** A reference that the grammar accepts. */
export interface ImageReference {
  /** The name as it was written, without tag and digest. */
  readonly name: string;
  /** Host and port, with the default for a name that has none. */
  readonly domain: string;
  /** The repository in that registry, with `library/` where Docker Hub adds it. */
  readonly path: string;
  readonly tag: string | null;
  /** Algorithm and hex digits, such as `sha256:…`. */
  readonly digest: string | null;
  /** Written without a registry: which one it comes from is the node's choice, and some nodes have none. */
  readonly short: boolean;
}

export type ParsedReference =
  | { readonly kind: "valid"; readonly reference: ImageReference }
  | { readonly kind: "invalid"; readonly reason: string };

/** How a declared image may be used. */
export type PinnedImage =
  /** `image` is to be used: the name with its digest, without the tag. */
  | { readonly kind: "pinned"; readonly image: string }
  /** A tag alone, or nothing: another image may be there tomorrow. */
  | { readonly kind: "movable"; readonly image: string }
  | { readonly kind: "invalid"; readonly reason: string };

const defaultDomain = "docker.io";
const oldDefaultDomain = "index.docker.io";
const longestPath = 255;
/** Longer than any reference can be: name, tag, digest. A text beyond it is not looked into. */
const longestText = 1024;

const hostName =
  /^(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])(?:\.(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9]))*$/;
const hostAddress6 = /^\[[a-fA-F0-9:]+\]$/;
const pathComponent = /^[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*$/;
const tagForm = /^\w[\w.-]{0,127}$/;
const digestDigits: Readonly<Record<string, number>> = { sha256: 64, sha384: 96, sha512: 128 };

/**
 * Parses a reference as the distribution project defines it, normalised as the kubelet does it
 * (github.com/distribution/reference, `ParseNormalizedNamed`).
 */
export function parseImageReference(text: string): ParsedReference {
  if (text === "") return invalid("it is empty");
  if (text.length > longestText) return invalid("it is too long");
  if (/\s/.test(text)) return invalid("it has white space in it");
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return invalid("it is a URL: leave the scheme out");
  if (/^[a-f0-9]{64}$/.test(text)) return invalid("64 hex digits are an image's ID, which no registry knows");
  const { named, digest } = splitDigest(text);
  const wrongDigest = digest === null ? null : digestFault(digest);
  if (wrongDigest !== null) return invalid(wrongDigest);
  const { name, tag } = splitTag(named);
  if (tag !== null && !tagForm.test(tag)) return invalid(`"${tag}" is no tag`);
  const { domain, path, short } = splitDomain(name);
  const fault = domainFault(domain) ?? pathFault(path);
  return fault === null ? { kind: "valid", reference: { name, domain, path, tag, digest, short } } : invalid(fault);
}

/** Whether a digest pins it; a pinned one is used without its tag, so that one digest is one text. */
export function pinImage(text: string): PinnedImage {
  const parsed = parseImageReference(text);
  if (parsed.kind === "invalid") return parsed;
  const { name, tag, digest } = parsed.reference;
  if (digest !== null) return { kind: "pinned", image: `${name}@${digest}` };
  return { kind: "movable", image: tag === null ? name : `${name}:${tag}` };
}

function invalid(reason: string): { readonly kind: "invalid"; readonly reason: string } {
  return { kind: "invalid", reason };
}

function splitDigest(text: string): { named: string; digest: string | null } {
  const at = text.indexOf("@");
  return at === -1 ? { named: text, digest: null } : { named: text.slice(0, at), digest: text.slice(at + 1) };
}

function digestFault(digest: string): string | null {
  const colon = digest.indexOf(":");
  const algorithm = digest.slice(0, Math.max(colon, 0));
  const digits = Object.hasOwn(digestDigits, algorithm) ? digestDigits[algorithm] : undefined;
  if (digits === undefined) return `"${digest}" is no digest: sha256, sha384 and sha512 are known`;
  const hex = digest.slice(colon + 1);
  if (!/^[a-f0-9]*$/.test(hex)) return "its digest has something else than lower-case hex digits";
  return hex.length === digits ? null : `its digest has ${hex.length} hex digits, and ${algorithm} has ${digits}`;
}

/** A colon after the last slash begins the tag; one before it begins a port. */
function splitTag(named: string): { name: string; tag: string | null } {
  const colon = named.indexOf(":", named.lastIndexOf("/") + 1);
  return colon === -1 ? { name: named, tag: null } : { name: named.slice(0, colon), tag: named.slice(colon + 1) };
}

function splitDomain(name: string): { domain: string; path: string; short: boolean } {
  const slash = name.indexOf("/");
  const first = name.slice(0, Math.max(slash, 0));
  const short = slash === -1 || (!/[.:]/.test(first) && first !== "localhost" && first.toLowerCase() === first);
  const written = short ? defaultDomain : first;
  const domain = written === oldDefaultDomain ? defaultDomain : written;
  const path = short ? name : name.slice(slash + 1);
  return { domain, path: domain === defaultDomain && !path.includes("/") ? `library/${path}` : path, short };
}

function domainFault(domain: string): string | null {
  const port = /:(\d*|[^\]:]*)$/.exec(domain);
  const host = port === null ? domain : domain.slice(0, port.index);
  if (port !== null && !/^\d+$/.test(port[1] ?? "")) return `"${domain}" is no registry: its port is no number`;
  return hostName.test(host) || hostAddress6.test(host) ? null : `"${domain}" is no registry`;
}

function pathFault(path: string): string | null {
  if (path.length > longestPath) return `its name has ${path.length} characters, and ${longestPath} is the most`;
  if (path.toLowerCase() !== path) return `"${path}" has capital letters; a repository's name has none`;
  return path.split("/").every((part) => pathComponent.test(part)) ? null : `"${path}" is no repository's name`;
}
