/** What the cluster needs from the system, installed where that can be done, named where it cannot. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** A file that shows that it is there (a name is looked for in PATH), and Debian's package that has it. */
const needed: readonly (readonly [file: string, debian: string])[] = [
  ["containerd", "containerd"],
  ["ctr", "containerd"],
  ["runc", "runc"],
  ["ip", "iproute2"],
  ["nsenter", "util-linux"],
  ["nft", "nftables"],
  ["conntrack", "conntrack"],
  ["openssl", "openssl"],
  ["docker-registry", "docker-registry"],
  ["/bin/busybox", "busybox-static"],
  ["/usr/bin/tini-static", "tini"],
  ["/usr/lib/cni/bridge", "containernetworking-plugins"],
];

export function installPackages(): void {
  const absent = missing();
  if (absent.length === 0) return;
  if (there("apt-get")) {
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    const options = { env, stdio: ["ignore", "ignore", "inherit"] as ["ignore", "ignore", "inherit"] };
    spawnSync("apt-get", ["update", "-qq"], options);
    spawnSync("apt-get", ["install", "-y", "-qq", "--no-install-recommends", ...absent], options);
  }
  const still = missing();
  if (still.length > 0) throw new Error(`these are missing and have to be installed: ${still.join(", ")}`);
}

function missing(): string[] {
  return [...new Set(needed.filter(([file]) => !there(file)).map(([, debian]) => debian))];
}

function there(file: string): boolean {
  if (file.startsWith("/")) return existsSync(file);
  const path = `${process.env["PATH"] ?? ""}${delimiter}/usr/sbin${delimiter}/sbin`;
  return path.split(delimiter).some((folder) => existsSync(join(folder, file)));
}
