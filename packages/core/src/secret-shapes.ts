/** What keys and tokens look like whose values nobody told us. */

export interface SecretShape {
  readonly pattern: RegExp;
  /** What comes instead; `$1` is what may stay. */
  readonly instead: string;
}

const hidden = "***";

function whole(pattern: RegExp): SecretShape {
  return { pattern, instead: hidden };
}

function after(pattern: RegExp): SecretShape {
  return { pattern, instead: `$1${hidden}` };
}

/** Nothing in them is unbounded twice: a long line of an agent's must not cost time squared. In this order: the ones that span lines first. */
export const secretShapes: readonly SecretShape[] = [
  // Without its end (a text that was cut) the rest of the text counts as key.
  whole(
    /-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|$)/g,
  ),
  // User and password of a URL; a password may hold an @.
  after(/(\b[a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/?#"'<>]+(?=@)/gi),
  // The same without a scheme, as the share of a file server is named.
  after(/((?<![\w:/])\/\/)[^\s/?#"'<>:@]+:[^\s/?#"'<>]+(?=@)/g),
  whole(/\bn(?:crypt)?sec1[02-9ac-hj-np-z]{20,}/gi),
  whole(/\bAGE-SECRET-KEY-1[0-9A-Z]{20,}/g),
  whole(/(?<![\w-])eyJ[\w-]{5,}\.[\w-]{5,}(?:\.[\w-]*)?/g),
  whole(/\b(?:sk|rk|pk)[-_][\w-]{16,}/g),
  whole(/\bgh[a-z]_[A-Za-z0-9]{20,}/g),
  whole(/\b(?:github_pat|glpat|npm|hf)[_-][\w-]{20,}/g),
  whole(/\b(?:xox[a-z]|xapp)-[\w-]{10,}/g),
  whole(/\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g),
  whole(/\bAIza[\w-]{35}/g),
  after(/(\bBearer\s+)[\w.~+/=-]{8,}/gi),
  after(/(\bBasic\s+)(?=[\w+/-]*[0-9=])[\w+/-]{8,}={0,2}/gi),
  // PWD=/some/where is the working directory: in every list of variables.
  after(/(\b(?:password|passwd|passphrase|pwd(?!["']?\s*[:=]\s*["']?\/))["']?\s*[:=]\s*["']?)[^\s"',;&]{4,}/gi),
  after(/([?&](?:\w*token|api_?key|\w*sig(?:nature)?|[\w-]*-Signature|[\w-]*-Credential)=)[^\s&"'#]{4,}/gi),
  // 64 hex digits are an identity or a digest as well: hidden only where the words before say that they are secret.
  after(
    /((?<!pub[a-z]{0,6}[\s_-]?)(?:key|secret|token|nsec|seed|priv(?:ate)?|credential)[\w-]{0,40}["']?\s{0,16}(?:is|was|[:=]|=>)?\s{0,16}["']?(?:0x)?)[0-9a-f]{64}(?![0-9a-f])/gi,
  ),
];
