/** The HTTP server on the instance's Unix socket, which is made again when somebody cleaned it away. */
import fs from "node:fs";
import type { Server as HttpServer, IncomingMessage, ServerResponse } from "node:http";
import type { Server } from "node:net";
import { createServer } from "node:net";
import { dirname } from "node:path";
import type { Duplex } from "node:stream";
import type { BundleAtHand } from "../live-catalog.ts";
import { rawError, refuse, send } from "./answer.ts";
import type { Drain } from "./events.ts";
import { Events } from "./events.ts";
import type { Api } from "./routes.ts";
import { answerRequest } from "./routes.ts";

export interface ApiServer {
  /** Looks whether the socket is still there, and makes it and its directory again. Never rejects. */
  check(): Promise<void>;
  announceDrain(drain: Drain): void;
  announceBundle(event: "staged" | "switched", bundle: BundleAtHand): void;
  /** Ends every connection and removes the socket. */
  close(): void;
}

/** More connections than an agent with all of its turns at once can want. */
const connectionsAtMost = 512;

export interface ServedApi extends Omit<Api, "listen"> {
  /** Somebody listens to the events. What waits for the next turn is told to them, if anything does. */
  onListener(): BundleAtHand | null;
}

/** Resolves when the socket is there. Rejects with an error that names the path when it cannot be made. */
export async function serveApi(api: ServedApi, path: string): Promise<ApiServer> {
  const events = new Events();
  const servers = new Set<Server>();
  let http: HttpServer | null = null;
  let current: { server: Server; inode: number } | null = null;
  let listening: Promise<void> | null = null;
  let closed = false;

  async function listenAgain(): Promise<void> {
    // Closing removes whatever lies at the path; hence before the new one is there.
    current?.server.close();
    current = null;
    makeDirectory(dirname(path));
    fs.rmSync(path, { force: true });
    const server = createServer((socket) => {
      http ??= createHttp(api, events);
      http.emit("connection", socket);
    });
    server.maxConnections = connectionsAtMost;
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
    for (const server of servers) server.close();
    http?.closeAllConnections();
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
    announceBundle: (event, bundle) => events.bundle(event, bundle),
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

/**
 * Made for the first connection: many an agent never has one, and node:http is most of what a resting supervisor would hold
 * for it. (An `import` of it would hold 15 MB more.)
 */
function createHttp(api: ServedApi, events: Events): HttpServer {
  const { createServer: createHttpServer } = process.getBuiltinModule("node:http");
  const server = createHttpServer((request, response) => void serve(api, events, request, response));
  // A kept connection costs nothing, and is never closed under a request that is on its way.
  server.keepAliveTimeout = 0;
  server.on("clientError", onClientError);
  // It never listens itself, and from this event on it keeps track of its connections.
  server.emit("listening");
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
      return events.add(response, api.onListener());
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
