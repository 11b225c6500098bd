/** The HTTP server on the instance's Unix socket, which is made again when somebody cleaned it away. */
import fs from "node:fs";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { dirname } from "node:path";
import type { Duplex } from "node:stream";
import { rawError, refuse, send } from "./answer.ts";
import type { Drain } from "./events.ts";
import { Events } from "./events.ts";
import type { Api } from "./routes.ts";
import { answerRequest } from "./routes.ts";

export interface ApiServer {
  /** Looks whether the socket is still there, and makes it and its directory again. Never rejects. */
  check(): Promise<void>;
  announceDrain(drain: Drain): void;
  /** Ends every connection and removes the socket. */
  close(): void;
}

/** More connections than an agent with all of its turns at once can want. */
const connectionsAtMost = 512;

export interface ServedApi extends Omit<Api, "listen"> {
  /** Somebody listens to the events. */
  onListener(): void;
}

/** Resolves when the socket is there. Rejects with an error that names the path when it cannot be made. */
export async function serveApi(api: ServedApi, path: string): Promise<ApiServer> {
  const events = new Events();
  const servers = new Set<Server>();
  let current: { server: Server; inode: number } | null = null;
  let listening: Promise<void> | null = null;
  let closed = false;

  async function listenAgain(): Promise<void> {
    // Closing removes whatever lies at the path; hence before the new one is there.
    current?.server.close();
    current = null;
    makeDirectory(dirname(path));
    fs.rmSync(path, { force: true });
    const server = createServer(api, events);
    servers.add(server);
    server.once("close", () => servers.delete(server));
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(path, () => {
        server.off("error", reject);
        resolve();
      });
    });
    fs.chmodSync(path, 0o600);
    current = { server, inode: fs.lstatSync(path).ino };
    if (closed) close();
  }

  function close(): void {
    closed = true;
    for (const server of servers) {
      server.close();
      server.closeAllConnections();
    }
  }

  try {
    await listenAgain();
  } catch (error) {
    close();
    const detail = error instanceof Error ? error.message : String(error);
    throw new Error(`the socket ${path} cannot be made: ${detail}`, { cause: error });
  }

  return {
    async check() {
      if (closed) return;
      if (current !== null && inodeOf(path) === current.inode) return;
      listening ??= listenAgain()
        // The next check tries again; turns that cannot be told are the agent's to bear until then.
        .catch(() => undefined)
        .finally(() => {
          listening = null;
        });
      await listening;
    },
    announceDrain: (drain) => events.drain(drain),
    close,
  };
}

/** One level alone: a state directory that somebody deleted as a whole must not come back by halves. */
function makeDirectory(directory: string): void {
  if (!fs.existsSync(directory)) fs.mkdirSync(directory, { mode: 0o700 });
}

function inodeOf(path: string): number | null {
  try {
    return fs.lstatSync(path).ino;
  } catch {
    return null;
  }
}

function createServer(api: ServedApi, events: Events): Server {
  // `import` of node:http costs a resting supervisor 15 MB more.
  const http = process.getBuiltinModule("node:http");
  const server = http.createServer((request, response) => void serve(api, events, request, response));
  // A kept connection costs nothing, and is never closed under a request that is on its way.
  server.keepAliveTimeout = 0;
  server.maxConnections = connectionsAtMost;
  server.on("clientError", onClientError);
  return server;
}

async function serve(
  api: ServedApi,
  events: Events,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const listen = (): boolean => {
      api.onListener();
      return events.add(response);
    };
    send(response, await answerRequest({ ...api, listen }, request));
  } catch (error) {
    // A request that broke off ends up here too, and nobody hears the answer.
    if (response.headersSent || response.destroyed) return;
    const detail = error instanceof Error ? error.message : String(error);
    send(response, refuse(500, "fault", `the harness failed: ${detail}`, "try again; report it if it stays"));
  }
}

function onClientError(error: Error, socket: Duplex): void {
  if (socket.destroyed || !socket.writable) return;
  const tooLong = "code" in error && error.code === "HPE_HEADER_OVERFLOW";
  const answer = tooLong
    ? refuse(431, "headersTooLarge", "the headers are too long", "send fewer")
    : refuse(400, "badRequest", "this is not an HTTP/1.1 request", "see openapi.json of @moorage/harness");
  socket.end(rawError(answer, tooLong ? "Request Header Fields Too Large" : "Bad Request"));
}
