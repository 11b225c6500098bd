/** The Random port over the operating system's generator. */
import { randomBytes } from "node:crypto";
import type { Random } from "@moorage/core";

export const systemRandom: Random = {
  token(hexDigits) {
    return randomBytes(Math.ceil(hexDigits / 2))
      .toString("hex")
      .slice(0, hexDigits);
  },
  fraction() {
    return randomBytes(6).readUIntBE(0, 6) / 2 ** 48;
  },
};
