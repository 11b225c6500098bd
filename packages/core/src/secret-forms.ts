/** The forms in which a known secret value may turn up in a text: as it is, escaped, encoded, line by line. */

/** Shorter values are too common in ordinary text to be looked for. */
const shortestValue = 4;
const shortestLine = 8;

/** Every form of the values, the longest first, each at least four characters. */
export function secretForms(values: Iterable<string>): readonly string[] {
  const forms = new Set<string>();
  for (const value of values) if (value.length >= shortestValue) for (const form of formsOf(value)) forms.add(form);
  return [...forms].filter((form) => form.length >= shortestValue).sort((a, b) => b.length - a.length);
}

function* formsOf(value: string): Generator<string> {
  yield value;
  const lines = value.split(/\r?\n/);
  if (lines.length > 1) {
    yield lines.join("\n");
    yield lines.join("\r\n");
    // Logs and messages show such a value line by line, with something before each.
    for (const line of lines) if (line.trim().length >= shortestLine) yield line.trim();
  }
  yield* escapedForms(value);
  // UTF-8 and all that is made of it has no form for a lone surrogate.
  if (!value.isWellFormed()) return;
  yield* percentForms(value);
  const bytes = utf8(value);
  const hex = bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
  yield hex;
  yield hex.toUpperCase();
  yield* base64Forms(bytes);
}

/** As JSON strings hold it, with what some writers escape besides. */
function* escapedForms(value: string): Generator<string> {
  const json = JSON.stringify(value).slice(1, -1);
  const ascii = json.replace(/[^ -~]/g, unicodeEscape);
  // Go's encoding/json, by which an API server echoes what it was sent, and Gson.
  const [go, gson] = [
    json.replace(/[&<>\u2028\u2029]/g, unicodeEscape),
    json.replace(/[&<>='\u2028\u2029]/g, unicodeEscape),
  ];
  for (const form of [json, ascii, go, gson]) {
    yield form;
    yield form.replaceAll("/", "\\/");
    // JSON inside JSON.
    yield JSON.stringify(form).slice(1, -1);
  }
}

function unicodeEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function* percentForms(value: string): Generator<string> {
  const component = encodeURIComponent(value);
  const strict = component.replace(/[!'()*]/g, escapeUnit);
  // As HTML forms and URLSearchParams write it.
  const form = component.replace(/[!'()~]/g, escapeUnit).replaceAll("%20", "+");
  for (const encoded of [component, strict, form, component.replaceAll("%20", "+"), encodeURI(value)]) {
    yield encoded;
    yield encoded.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase());
  }
}

function escapeUnit(unit: string): string {
  return `%${unit.charCodeAt(0).toString(16).toUpperCase()}`;
}

function utf8(value: string): readonly number[] {
  const bytes: number[] = [];
  const encoded = encodeURIComponent(value);
  for (let at = 0; at < encoded.length; at++) {
    if (encoded[at] === "%") {
      bytes.push(Number.parseInt(encoded.slice(at + 1, at + 3), 16));
      at += 2;
    } else bytes.push(encoded.charCodeAt(at));
  }
  return bytes;
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Both alphabets, with and without padding, and what the value becomes inside of something longer, at each of the three offsets. */
function* base64Forms(bytes: readonly number[]): Generator<string> {
  for (const offset of [0, 1, 2]) {
    const shifted = [...Array.from({ length: offset }, () => 0), ...bytes];
    const digits = base64(shifted);
    const padded = digits.padEnd(Math.ceil(digits.length / 4) * 4, "=");
    // The first digits hold bits of what comes before, the last one bits of what comes after.
    const inner = digits.slice(offset === 0 ? 0 : offset + 1, shifted.length % 3 === 0 ? undefined : -1);
    for (const form of offset === 0 ? [padded, digits, inner] : [inner]) {
      yield form;
      yield form.replaceAll("+", "-").replaceAll("/", "_");
    }
  }
}

function base64(bytes: readonly number[]): string {
  let digits = "";
  for (let at = 0; at < bytes.length; at += 3) {
    const [a = 0, b = 0, c = 0] = bytes.slice(at, at + 3);
    const bits = (a << 16) | (b << 8) | c;
    for (const shift of [18, 12, 6, 0]) digits += alphabet[(bits >> shift) & 63] ?? "";
  }
  return digits.slice(0, Math.ceil((bytes.length * 4) / 3));
}
