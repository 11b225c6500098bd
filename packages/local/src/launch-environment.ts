/** What an agent inherits from whoever starts it, and which network variables it does not get although they are set. */

const inherited = new Set(["PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "LANG", "LANGUAGE", "TZ"]);

const network = [
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "ALL_PROXY",
  "NO_PROXY",
  "http_proxy",
  "https_proxy",
  "all_proxy",
  "no_proxy",
  "NODE_EXTRA_CA_CERTS",
  "NODE_USE_ENV_PROXY",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "REQUESTS_CA_BUNDLE",
  "CURL_CA_BUNDLE",
  "GIT_SSL_CAINFO",
] as const;

type Environment = Readonly<Record<string, string | undefined>>;

/** The part of a caller's environment that its agents get: nothing else ever leaks in. */
export function launchEnvironment(environment: Environment): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [key, value] of Object.entries(environment))
    if (value !== undefined && (inherited.has(key) || key.startsWith("LC_"))) kept[key] = value;
  return kept;
}

/** Proxy and CA variables that are set for the caller and that the declaration does not pass on; for one warning. */
export function networkVariablesNotPassed(environment: Environment, declared: ReadonlySet<string>): string[] {
  return network.filter((key) => (environment[key] ?? "") !== "" && !declared.has(key));
}
