/** Decisive evidence: what a registry, a runtime or the kubelet says when trying again cannot help. */

/** What a pull message means. `recoverable` is everything that may pass, and everything that says nothing. */
export type PullVerdict =
  | "unauthorized"
  | "manifest-unknown"
  | "arch-mismatch"
  | "denied-or-absent"
  | "registry-misconfigured"
  | "unsupported-manifest"
  | "signature-invalid"
  | "never-pull"
  | "invalid-image-name"
  | "recoverable";

/** A verdict with what it rests on, such as `transient:dns` or `unauthorized:expired-token`. */
export interface PullDiagnosis {
  readonly verdict: PullVerdict;
  readonly cause: string;
}

type Evidence = readonly [verdict: PullVerdict, cause: string, pattern: RegExp];

/** Neither image nor credential: the node, the runtime or the registry has to be set up otherwise. */
const setup: readonly Evidence[] = [
  ["never-pull", "never-pull", /\bwith pull policy of never\b/],
  [
    "invalid-image-name",
    "invalid-image-name:short-name",
    /\bshort-name\b|\bshort name mode\b|\bunqualified[- ](?:search|image)|\bdid not resolve to an alias\b/,
  ],
  [
    "invalid-image-name",
    "invalid-image-name",
    /\binvalid reference format\b|\bcouldn't parse image (?:reference|name)\b|\bfailed to parse (?:image )?(?:reference|name)\b|\brepository name must be (?:lowercase|canonical)\b|\binvalid (?:tag format|repository name|image name|checksum digest)\b|\bunsupported digest algorithm\b/,
  ],
  [
    "arch-mismatch",
    "arch-mismatch:os-version",
    /\ba windows version\b[^\n]{0,200}?\bincompatible\b|\bno matching manifest for windows\/\w+ (?:<number>|\d)|\bdoes not match the host operating system\b/,
  ],
  [
    "arch-mismatch",
    "arch-mismatch:os",
    /\bimage operating system\b|\boperating system is not supported\b|\bcannot be used on this platform\b/,
  ],
  [
    "arch-mismatch",
    "arch-mismatch",
    /\bno match for platform\b|\bno matching manifest\b|\bno image found\b|\bno child with platform\b|\bmatch the specified platform\b|\bnot? provide the specified platform\b|\bno (?:suitable|matching|supported) (?:platform|architecture|image for platform)\b|\bunsupported (?:platform|architecture)\b|\bfor architecture\b[^\n]{0,80}?\bvariant\b/,
  ],
  [
    "signature-invalid",
    "signature-invalid",
    /\bsource image rejected\b|\bsignaturevalidationfailed\b|\bsignature (?:was required|validation failed|verification failed)\b|\binvalid gpg signature\b|\bno (?:valid|matching) signatures?\b|\bno signature exists\b|\bsignatures were accepted\b|\bimage is not signed\b|\brejected by policy\b|\bimage verifier\b[^\n]{0,300}?\bblocked\b|\btrust data\b[^\n]{0,100}?\bdoes not exist\b|\bno trust data\b|\bsignature for identity\b/,
  ],
  [
    "unsupported-manifest",
    "unsupported-manifest",
    /\bunsupported (?:manifest|media ?type|schema|docker v1)|\bunsupported mediatype\b|\bunknown media ?type\b|\bmedia ?type\b[^\n]{0,160}?\b(?:no longer supported|not supported)\b|\bmedia ?type in manifest should be\b|\bschema ?(?:version )?[12]\b[^\n]{0,160}?\b(?:disabled|supported|removed|deprecated)\b|\b(?:schema v?1|schema1|manifest v1)\b|\bwhen fetching\b[^\n]{0,60}?\bplugin\b|\bencountered remote\b|\btarget is (?:unknown|plugin)\b|\bwould not match destination reference\b|\bunexpected media type application\/(?:octet-stream|vnd)|\bmissing private key needed for decryption\b|\boci (?:index|manifest) found, but accept\b|\bunsupported image-specific operation\b|\bno processor for media-?type\b|\bmismatched image rootfs and manifest layers\b|\bnumber of layers and diffids don't match\b/,
  ],
  [
    "registry-misconfigured",
    "registry-misconfigured:plain-http",
    /\bhttp response to https client\b|\bhttp request to an https server\b|\bfirst record does not look like a tls handshake\b|\bmalformed http response\b|\bwrong version number\b/,
  ],
  [
    "registry-misconfigured",
    "registry-misconfigured:tls-ca",
    /\bsigned by unknown authority\b|\bcertificate is not trusted\b|\bnot standards compliant\b|\bself[- ]signed certificate\b|\bunable to get local issuer\b|\bcertificate required\b|\bbad certificate\b|\bcertificate verify failed\b/,
  ],
  [
    "registry-misconfigured",
    "registry-misconfigured:tls-name",
    /\bcertificate is (?:valid for|not valid for)\b|\bcannot validate certificate\b|\blegacy common name\b|\bnot valid for any names\b|\bprotocol version not supported\b|\bunsupported protocol version\b/,
  ],
  [
    "registry-misconfigured",
    "registry-misconfigured:proxy",
    /\bproxy authentication required\b|\binvalid proxy\b|\bunknown proxy scheme\b|\bunsupported proxy scheme\b|\bproxyconnect tcp: (?:tls|lookup)\b/,
  ],
  [
    "registry-misconfigured",
    "registry-misconfigured:node-setup",
    /\bunsupported protocol scheme\b|\bmissing protocol scheme\b|\bregistr(?:y|ies) configuration\b|\bregistry <\w+> is blocked\b|\bis blocked in <path>|\bmissing (?:key|client certificate)\b|\btalk to a v1 \w+ registry\b/,
  ],
  [
    "registry-misconfigured",
    "registry-misconfigured:policy",
    /\bdue to configured policy\b|\bprecondition failed\b|\bprojectpolicyviolation\b|\bclient with ip\b[^\n]{0,80}?\bnot allowed\b|\bacr\/firewall\b|\bnot allowed by your organi[sz]ation\b/,
  ],
];

/** Words with which registries leave open whether something is private or absent; the tail after them may decide. */
const eitherWay =
  /\bmay not exist\b|\bor access (?:is )?denied\b|\bverify that it exists and you have permission\b|\bdoes not exist or no pull access\b/;

/** Who asks is known, or has to be, and is refused. */
const refused: readonly Evidence[] = [
  [
    "unauthorized",
    "unauthorized:expired-token",
    /\btoken (?:has|is|was)? ?expired\b|\bexpired ?token\b|\bcredentials? (?:has|have|is|are) expired\b/,
  ],
  [
    "unauthorized",
    "unauthorized",
    /\bpermission_denied\b|\bpermission denied for <\w+> from request\b|\bnot authorized to perform\b|\bdenied: not authorized\b|\bnot allowed to (?:read|pull)\b|\baccessdenied|\bincorrect username\b|\b(?:invalid|wrong|bad) (?:username|user|password|credentials?|token|bearer)\b|\bhttp basic: access denied\b|\bauthentication failed\b|\bfailed authentication\b|\bunauthorized to access\b|\bdoes not have permission\b|\bneeded permissions?\b|\binsufficient (?:scopes|permissions?|privileges)\b|\bpersonal access token\b|\bmust log ?in\b|\bplease log ?in\b|\baadsts\d*\b|\binvalid_(?:client|grant|token)\b|\bemail must be verified\b|\baccount (?:is|has been) (?:disabled|suspended|locked)\b/,
  ],
];

const privateOrAbsent =
  /\bpull access denied\b|\binsufficient_scope\b|\brequested access to the resource is denied\b|\baccess to the requested resource is not authorized\b|\baccess forbidden\b|\brepository does not exist or may require\b/;

/** The registry knows what was asked for, and has none of it. */
const absent: readonly Evidence[] = [
  [
    "manifest-unknown",
    "manifest-unknown:repository",
    /\bname[ _]unknown\b|\brepository (?:with name )?(?:<ref> )?(?:not found|does not exist)\b|\brepository name not known\b|\bproject <ref> not found\b|\brepositorynotfound/,
  ],
  [
    "manifest-unknown",
    "manifest-unknown",
    /\bmanifest[ _]unknown\b|\bmanifest (?:for |tagged by )?(?:<ref> )?(?:is )?not (?:found|known)\b|\bno such manifest\b|\bfailed to fetch "[^"\n]{0,130}" from request\b|\bartifact <ref> not found\b|\btag <ref> (?:not found|was deleted)\b|\bimagenotfound|\btag does not exist\b|\bimage <ref>:? not found\b|\brequested image not found\b|\bdoes not exist in registry\b|\b(?:reference|image) <ref>: <ref>: not found\b|\bendpoint: <ref>:? not found\b|^\W*<ref>: not found\b|\bobject not found\b/,
  ],
];

/** What a names-free text without anything transient in it proves, or null. */
export function decisiveEvidence(text: string, told: ReadonlySet<number>): PullDiagnosis | null {
  const found = first(setup, text);
  if (found !== null) return found;
  if (eitherWay.test(text)) return { verdict: "denied-or-absent", cause: "ambiguous" };
  const answer = first(refused, text);
  if (answer !== null) return answer;
  if (privateOrAbsent.test(text)) return { verdict: "denied-or-absent", cause: "ambiguous" };
  return first(absent, text) ?? byStatus(text, told);
}

function first(list: readonly Evidence[], text: string): PullDiagnosis | null {
  for (const [verdict, cause, pattern] of list) if (pattern.test(text)) return { verdict, cause };
  return null;
}

/**
 * What a bare status proves depends on the step. At the token's address a 403 comes for what is private and for what is
 * absent. A blob follows a manifest that was read: its 401 is a token that ran out meanwhile, its 403 an address that
 * did or a network that is closed, its 404 a registry in disorder, and all may pass.
 */
function byStatus(text: string, told: ReadonlySet<number>): PullDiagnosis | null {
  if (told.has(407)) return { verdict: "registry-misconfigured", cause: "registry-misconfigured:proxy" };
  if (told.has(412)) return { verdict: "registry-misconfigured", cause: "registry-misconfigured:policy" };
  const step = stepOf(text);
  if (step === "blob" && (refusals.some((status) => told.has(status)) || /\bforbidden\b/.test(text))) return null;
  if (
    told.has(401) ||
    /\bunauthorized\b|\bno basic auth\b|\bauthentication (?:is )?required\b|\baccess ?denied\b/.test(text)
  )
    return { verdict: "unauthorized", cause: "unauthorized" };
  if (told.has(403) || /\bforbidden\b/.test(text)) {
    return step === "token"
      ? { verdict: "denied-or-absent", cause: "ambiguous" }
      : { verdict: "unauthorized", cause: "unauthorized" };
  }
  if (told.has(404) || told.has(410)) {
    return step === "token" || step === "ping"
      ? { verdict: "registry-misconfigured", cause: "registry-misconfigured:no-registry" }
      : { verdict: "manifest-unknown", cause: "manifest-unknown" };
  }
  return /\bdenied\b/.test(text) && !/\bpermission denied\b/.test(text)
    ? { verdict: "denied-or-absent", cause: "ambiguous" }
    : null;
}

const refusals: readonly number[] = [401, 403, 404, 410];

type Step = "token" | "blob" | "ping" | "manifest";

/** The address that a status stands behind tells the step, and where there is none, the words of the runtimes. */
function stepOf(text: string): Step {
  const addressed = /<(token|manifest|blob|ping)-url>:? (?:error parsing http )?(?:4\d\d|forbidden)/.exec(text);
  if (addressed !== null) return addressed[1] as Step;
  const words = text.replace(/<[a-z-]+>/g, "");
  if (/\bblob\b|\bhttpreade?r?seeker\b|\bimage configuration\b/.test(words)) return "blob";
  if (/\b(?:fetch|bearer|bear|auth|oauth|anonymous) token\b/.test(words)) return "token";
  return /\bping(?:ing)?\b/.test(words) ? "ping" : "manifest";
}
