/** Amounts as Kubernetes writes them: `250m`, `64Mi`, `1e3`, `12345n` (apimachinery, resource.Quantity). */

const factors: Readonly<Record<string, number>> = {
  "": 1,
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** In the unit's own measure: bytes, cores. Null for what is no quantity. */
export function parseQuantity(value: unknown): number | null {
  const text = typeof value === "number" ? String(value) : value;
  if (typeof text !== "string") return null;
  const [, number, suffix = "", exponent] =
    /^([+-]?(?:\d+(?:\.\d*)?|\.\d+))(?:([numkMGTPE]|[KMGTPE]i)|[eE]([+-]?\d{1,3}))?$/.exec(text) ?? [];
  if (number === undefined) return null;
  const factor = exponent === undefined ? factors[suffix] : 10 ** Number(exponent);
  return factor === undefined ? null : Number(number) * factor;
}
