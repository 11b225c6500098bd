/** Tells a supervisor to look at its record now: a mark is honoured at once and not at its next look. */
import { connect } from "node:net";

const patienceMs = 2_000;

/** Best effort, and never awaited for an answer: whoever is not there looks by itself every two seconds. */
export function poke(socketPath: string): void {
  const socket = connect(socketPath);
  socket.unref();
  socket.setTimeout(patienceMs, () => socket.destroy());
  socket.once("error", () => undefined);
  socket.once("data", () => socket.destroy());
  socket.write("POST /v1/stop HTTP/1.1\r\nHost: supervisor\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
}
