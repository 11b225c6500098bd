/** Calls to the harness: HTTP/1.1 with JSON over its Unix socket, which may be made again while the agent runs. */
import http from "node:http";
import { AgentError } from "./agent-error.ts";

/** Within this a socket that was cleaned away is back; in milliseconds. */
const patienceMs = 6_000;
const pauseMs = 100;

export interface HarnessClient {
  /** The JSON answer. Rejects with an `AgentError`: the harness's own refusal, or `harnessGone`. */
  call(method: string, path: string, body?: object): Promise<unknown>;
  /** Lets go of kept connections. */
  close(): void;
}

export function harnessClient(socketPath: string): HarnessClient {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 16 });

  async function call(method: string, path: string, body?: object): Promise<unknown> {
    const deadline = performance.now() + patienceMs;
    for (;;) {
      try {
        return await request(method, path, body);
      } catch (error) {
        if (error instanceof AgentError) throw error;
        if (!mayComeBack(error) || performance.now() >= deadline) throw gone(socketPath, error);
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }

  async function request(method: string, path: string, body: object | undefined): Promise<unknown> {
    const text = body === undefined ? "" : JSON.stringify(body);
    return await new Promise<unknown>((resolve, reject) => {
      const headers = { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) };
      const sent = http.request({ socketPath, agent, method, path, headers }, (response) => {
        let all = "";
        response.setEncoding("utf8");
        response.on("data", (part: string) => {
          all += part;
        });
        response.on("error", reject);
        response.on("end", () => settle(response.statusCode ?? 0, all, resolve, reject));
      });
      sent.on("error", reject);
      sent.end(text);
    });
  }

  return { call, close: () => agent.destroy() };
}

function settle(status: number, text: string, resolve: (value: unknown) => void, reject: (error: Error) => void): void {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    reject(
      new AgentError("badAnswer", `the harness answered ${status} without JSON`, "is MOORAGE_SOCKET its socket?", {
        cause: error,
      }),
    );
    return;
  }
  if (status < 400) resolve(value);
  else reject(refusal(status, value));
}

function refusal(status: number, value: unknown): AgentError {
  const { code, message, hint } =
    typeof value === "object" && value !== null ? (value as { [name: string]: unknown }) : {};
  return new AgentError(
    typeof code === "string" ? code : "refused",
    typeof message === "string" ? message : `the harness answered ${status}`,
    typeof hint === "string" ? hint : "run `moorage explain` for this agent",
  );
}

export function gone(socketPath: string, cause: unknown): AgentError {
  const detail = cause instanceof Error ? cause.message : String(cause);
  return new AgentError(
    "harnessGone",
    `the harness does not answer on ${socketPath}: ${detail}`,
    "the agent's supervisor was lost; `moorage deploy` ends this process and starts the agent anew",
    { cause },
  );
}

/** The socket is being made again, or a kept connection was closed with the old one: nothing was begun then. */
function mayComeBack(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : null;
  return code === "ENOENT" || code === "ECONNREFUSED" || code === "ECONNRESET" || code === "EPIPE";
}
