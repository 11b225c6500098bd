/** Reads standard input to its end. */
import { read } from "node:fs";

/** Bytes. An environment of a megabyte and a long prompt fit many times. */
export const longestRequest: number = 8 * 1024 * 1024;

const pieceBytes = 65_536;
/** Milliseconds until a stream is asked again that has nothing yet and does not wait. */
const emptyMs = 2;

/** All of it; null: longer than any request, of which the rest was read and dropped, so that whoever writes it is not cut off. */
export async function readInput(file: number): Promise<Buffer | null> {
  const pieces: Buffer[] = [];
  let size = 0;
  for (;;) {
    const piece = Buffer.allocUnsafe(pieceBytes);
    const length = await readPiece(file, piece);
    if (length === 0) return size > longestRequest ? null : Buffer.concat(pieces);
    size += length;
    if (size > longestRequest) pieces.length = 0;
    else pieces.push(piece.subarray(0, length));
  }
}

function readPiece(file: number, piece: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    const ask = (): void =>
      read(file, piece, 0, piece.length, null, (error, length) => {
        if (error === null) resolve(length);
        else if (error.code === "EAGAIN") setTimeout(ask, emptyMs);
        else if (error.code === "EOF") resolve(0);
        else reject(error);
      });
    ask();
  });
}
