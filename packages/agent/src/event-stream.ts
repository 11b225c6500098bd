/** The harness's events: listens for as long as the agent runs, and listens anew when the socket was made again. */
import http from "node:http";
import { gone } from "./harness-client.ts";

export interface HarnessEvent {
  readonly name: string;
  readonly data: unknown;
}

export interface EventStream {
  close(): void;
}

const firstPauseMs = 250;
const longestPauseMs = 5_000;

/**
 * Resolves when it listens; rejects with an `AgentError` when nobody answers the first time. It keeps no process alive.
 */
export async function listen(socketPath: string, onEvent: (event: HarnessEvent) => void): Promise<EventStream> {
  let current: http.ClientRequest | null = null;
  let timer: NodeJS.Timeout | null = null;
  let closed = false;
  let pause = firstPauseMs;

  function open(onOpen: () => void, onFail: (error: Error) => void): void {
    const request = http.get({ socketPath, path: "/v1/events", agent: false }, (response) => {
      if (response.statusCode !== 200) {
        response.resume();
        onFail(new Error(`it answered ${response.statusCode ?? "nothing"}`));
        return;
      }
      // From here on it only listens: that must not keep an agent that is done from ending.
      response.socket.unref();
      pause = firstPauseMs;
      onOpen();
      const parse = eventParser(onEvent);
      response.setEncoding("utf8");
      response.on("data", parse);
      response.on("error", () => undefined);
      response.once("close", again);
    });
    request.once("error", onFail);
    current = request;
  }

  function again(): void {
    if (closed) return;
    timer = setTimeout(() => open(() => undefined, again), pause);
    timer.unref();
    pause = Math.min(pause * 2, longestPauseMs);
  }

  await new Promise<void>((resolve, reject) => {
    open(resolve, (error) => reject(gone(socketPath, error)));
  });
  return {
    close() {
      closed = true;
      if (timer !== null) clearTimeout(timer);
      current?.destroy();
    },
  };
}

/** Takes text as it comes, in pieces of any size. */
export function eventParser(onEvent: (event: HarnessEvent) => void): (text: string) => void {
  let rest = "";
  return (text) => {
    const blocks = (rest + text).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const event = parseBlock(block);
      if (event !== null) onEvent(event);
    }
  };
}

function parseBlock(block: string): HarnessEvent | null {
  const fields = new Map<string, string>();
  for (const line of block.split("\n")) {
    const colon = line.indexOf(": ");
    if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 2));
  }
  const [name, data] = [fields.get("event"), fields.get("data")];
  if (name === undefined || data === undefined) return null;
  try {
    return { name, data: JSON.parse(data) as unknown };
  } catch {
    return null;
  }
}
