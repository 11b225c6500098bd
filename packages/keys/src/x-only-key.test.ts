import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { byLibrary, xOnlyPublicKey } from "./x-only-key.ts";

const three = Buffer.from("3".padStart(64, "0"), "hex");

test("Node's curve and the library's say the same of every key", async () => {
  for (let round = 0; round < 100; round += 1) {
    const secret = randomBytes(32);
    secret[0] = (secret[0] ?? 0) & 0x7f;
    expect(Buffer.from(await xOnlyPublicKey(secret))).toEqual(Buffer.from(await byLibrary(secret)));
  }
});

test("a Node without the curve has the library's", () => {
  const program = `
    import crypto from "node:crypto";
    import { syncBuiltinESMExports } from "node:module";
    crypto.createECDH = () => { throw Object.assign(new TypeError("none"), { code: "ERR_CRYPTO_INVALID_CURVE" }); };
    syncBuiltinESMExports();
    const { xOnlyPublicKey } = await import(${JSON.stringify(new URL("./x-only-key.ts", import.meta.url).href)});
    console.log(Buffer.from(await xOnlyPublicKey(Buffer.from("${three.toString("hex")}", "hex"))).toString("hex"));`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
    encoding: "utf8",
  });
  expect({ stdout, stderr }).toEqual({
    stdout: "f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9\n",
    stderr: "",
  });
});
