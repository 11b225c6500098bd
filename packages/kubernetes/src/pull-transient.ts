/** What passes by itself: the network, the registry's own trouble, limits, the node's disk and runtime. */

/** Each cause with what tells it; looked for before anything else, in names-free text. */
const causes: readonly (readonly [cause: string, evidence: RegExp])[] = [
  ["transient:rate-limit", /\btoo ?many ?requests\b|\brate ?-?limit|\brate exceeded\b|\bthrottl|\bquota exceeded\b/],
  ["transient:node-throttle", /\bpull qps exceeded\b/],
  [
    "transient:runtime-down",
    /\bdial unix\b|\bcannot connect to the docker daemon\b|\bunknown service runtime\b|\bserver is not initialized yet\b|\bconnection is unavailable\b|\bcontainer runtime is (?:down|not ready)\b|\bconnection error: desc\b/,
  ],
  [
    "transient:dns",
    /\blookup\b[^\n]{0,300}?: |\bno such host\b|\bfailure in name resolution\b|\bserver misbehaving\b|\bname or service not known\b|\bno address associated\b|\bcould not resolve host\b/,
  ],
  ["transient:connection-refused", /\bconnection refused\b|\bactively refused\b/],
  [
    "transient:timeout",
    /\bi\/o timeout\b|\bhandshake timeout\b|\btimed? ?out\b|\bdeadline ?exceeded\b|\btimeout exceeded\b|\bclient\.timeout\b|\btimeout awaiting\b|\bawaiting headers\b|\bnet\/http: timeout\b|\brequest timeout\b|\bno progress\b/,
  ],
  [
    "transient:canceled",
    /\bcontext cancell?ed\b|\brequest cancell?ed\b|\bcode = cancell?ed\b|\boperation was cancell?ed\b/,
  ],
  [
    "transient:network",
    /\b(?:dial|read|write) (?:tcp|udp)[46]?\b|\bconnection reset\b|\bbroken pipe\b|\bno route to host\b|\bnetwork is unreachable\b|\bhost is (?:down|unreachable)\b|\beof\b|\bclosed network connection\b|\bclosed idle connection\b|\bforcibly closed\b|\bconnection lost\b|\bgoaway\b|\bstream error: stream\b|\btransport is closing\b|\bbad record mac\b|\bcannot assign requested address\b|\bremote error: tls: internal error\b/,
  ],
  [
    "transient:registry-5xx",
    /\binternal server error\b|\bbad gateway\b|\bservice (?:temporarily )?unavailable\b|\bgateway time-?out\b|\btemporarily unavailable\b|\btemporary (?:error|failure)\b/,
  ],
  ["transient:registry-unavailable", /\bregistry is unavailable\b|\bcode = unavailable\b/],
  [
    "transient:tls",
    /\bcertificate has expired\b|\bnot yet valid\b|\bnot valid yet\b|\bsignature not yet current\b|\btoken used before issued\b|\bclock\b/,
  ],
  [
    "transient:disk",
    /\bno space left\b|\bdisk quota\b|\binput\/output error\b|\bread-only file system\b|\bstructure needs cleaning\b|\bnot enough space\b|\bdisk ?pressure\b/,
  ],
  [
    "transient:node",
    /\btoo many open files\b|\bcannot allocate memory\b|\bout of memory\b|\bresource temporarily unavailable\b|\bresource busy\b/,
  ],
  [
    "transient:corrupt-download",
    /\bfailed size validation\b|\bunexpected commit digest\b|\bverification failed for digest\b|\blayer verification failed\b|\bsize of zero\b|\binvalid checksum\b|\bgzip: invalid\b|\binvalid tar header\b|\bcorrupt(?:ed|ion)?\b|\bdigest did not match\b|\bdigest mismatch\b|\bdoes not match provided manifest digest\b|\bunexpected end of json\b|\bwrong diff id\b/,
  ],
  [
    "transient:local-store",
    /\bno such file or directory\b|\bsnapshot\b[^\n]{0,300}?\b(?:does not exist|not found|already exists)\b|\bcontent digest <digest>: not found\b|\bfailed to (?:extract|register|mount|stat)\b(?![^\n]{0,300}?\bno processor for media)|\blayer (?:does not exist|not known)\b|\blease\b[^\n]{0,100}?\bnot found\b|\block(?:ed)? for\b|\bdatabase is locked\b|<path>: (?:permission denied|operation not permitted|file exists|not a directory)|\boperation not permitted\b|\bimage pull (?:intent|record)/,
  ],
];

/** A status in a sentence that speaks of one: numbers elsewhere are ports, tags and sizes. */
const statusBefore = /\b(?:status|statuscode|code|http|response)\b[^\d\n]{0,60}?\b([1-5]\d\d)\b/g;
const statusAfter =
  /\b([1-5]\d\d)\b[ (]{1,2}(?:unauthorized|forbidden|not found|precondition|gone|proxy auth|too many|internal|bad|service|gateway|request|payment)/g;

/** Every HTTP status that the text tells. */
export function statuses(text: string): ReadonlySet<number> {
  const found = new Set<number>();
  for (const pattern of [statusBefore, statusAfter])
    for (const match of text.matchAll(pattern)) found.add(Number(match[1]));
  return found;
}

/** The transient cause that a names-free text tells, or null. */
export function transientCause(text: string, told: ReadonlySet<number>): string | null {
  if (told.has(429)) return "transient:rate-limit";
  for (const [cause, evidence] of causes) if (evidence.test(text)) return cause;
  for (const status of told) if (status >= 500) return "transient:registry-5xx";
  return told.has(408) ? "transient:timeout" : null;
}
