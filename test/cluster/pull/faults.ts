/** The ways in which a registry misbehaves. */
import type { Answer, Asked, Fault, Step } from "./front.ts";
import { give } from "./front.ts";

/** Bytes. What is larger among the blobs is a layer; the rest are configurations. */
const smallestLayer = 100_000;

/** Answers one step with a status; `body` is what registries send along. */
export function answers(step: Step, status: number, body: string, headers: Answer["headers"] = {}): Fault {
  return (asked, response) => {
    if (asked.step !== step) return false;
    give(response, { status, headers: { "content-type": "application/json", ...headers }, body: Buffer.from(body) });
    return true;
  };
}

export function refusal(code: string, message: string): string {
  return JSON.stringify({ errors: [{ code, message, detail: null }] });
}

/** Who pulls has to fetch a token first: `token` is the status that the authorization service answers. A token that is given away does not do. */
export function wantsToken(token: 200 | 401 | 403 | 503): Fault {
  return (asked, response) => {
    if (asked.step === "token") {
      const body = token === 200 ? { token: "of-no-use", expires_in: 300 } : { details: "not for you" };
      give(response, { status: token, headers: json, body: Buffer.from(JSON.stringify(body)) });
      return true;
    }
    const realm = `${asked.base}/token/${asked.repository}`;
    const given = asked.headers.authorization !== undefined;
    const challenge = `Bearer realm="${realm}",service="registry",scope="repository:${asked.repository}:pull"`;
    const headers = { ...json, "www-authenticate": given ? `${challenge},error="insufficient_scope"` : challenge };
    const body = refusal(given ? "DENIED" : "UNAUTHORIZED", "authentication required");
    give(response, { status: 401, headers, body: Buffer.from(body) });
    return true;
  };
}

const json = { "content-type": "application/json" } as const;

/** Breaks the connection in the middle of a layer, also when who pulls asks for the rest alone: never more than its half arrives. */
export const truncatesLayers: Fault = onLayers((answer, response) => {
  const [, from = "0", whole = String(answer.body.length)] =
    /^bytes (\d+)-\d+\/(\d+)$/.exec(answer.headers["content-range"] ?? "") ?? [];
  response.writeHead(answer.status, answer.headers);
  response.flushHeaders();
  response.write(answer.body.subarray(0, Math.max(0, (Number(whole) >> 1) - Number(from))), () => response.destroy());
});

/** Sends a layer of the right length with one byte changed. */
export const corruptsLayers: Fault = onLayers((answer, response) => {
  const body = Buffer.from(answer.body);
  const middle = body.length >> 1;
  body[middle] = (body[middle] ?? 0) ^ 1;
  give(response, { ...answer, body });
});

/** Sends a manifest that is not the one of its digest. */
export const exchangesManifests: Fault = async (asked, response) => {
  if (asked.step !== "manifest") return false;
  const answer = await asked.behind();
  const body = Buffer.from(answer.body);
  // Its length and its sense stay.
  body.write(body.toString().replace('"schemaVersion":2', '"schemaversion":2'));
  give(response, { ...answer, body });
  return true;
};

export interface Stall {
  readonly fault: Fault;
  /** Whether half of a layer was sent. */
  readonly stalls: () => boolean;
  /** The rest follows. */
  goOn(): void;
}

/** Sends half of a layer and then nothing, until it goes on. */
export function stallInLayer(): Stall {
  let goOn = (): void => undefined;
  const told = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  let stalled = false;
  const fault = onLayers((answer, response) => {
    const first = half(answer.body);
    response.writeHead(answer.status, answer.headers);
    response.write(first, () => {
      stalled = true;
    });
    void told.then(() => response.end(answer.body.subarray(first.length)));
  });
  return { fault, stalls: () => stalled, goOn };
}

function half(body: Buffer): Buffer {
  return body.subarray(0, body.length >> 1);
}

function onLayers(harm: (answer: Answer, response: Parameters<Fault>[1]) => void): Fault {
  return async (asked: Asked, response) => {
    if (asked.step !== "blob" || asked.method !== "GET") return false;
    const answer = await asked.behind();
    const part = answer.status === 206;
    if (!part && answer.body.length < smallestLayer) give(response, answer);
    else harm(answer, response);
    return true;
  };
}
