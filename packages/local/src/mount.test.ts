import { expect, it } from "vitest";
import { locksMayFail, mountOf, parseMountInfo, parseMountOutput } from "./mount.ts";

it("reads Linux' table, with spaces in a mount point and read-only mounts", () => {
  const text = [
    "22 1 252:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw",
    "41 22 0:36 / /mnt/my\\040share rw,relatime shared:9 - fuse.sshfs host:/x rw,user_id=0",
    "42 22 0:37 / /mnt/ro ro,relatime - nfs4 server:/x rw",
    "43 22 0:38 / /mnt/ro2 rw,relatime - ext4 /dev/vdb ro",
    "",
  ].join("\n");
  expect(parseMountInfo(text)).toEqual([
    { point: "/", type: "ext4", readOnly: false },
    { point: "/mnt/my share", type: "fuse.sshfs", readOnly: false },
    { point: "/mnt/ro", type: "nfs4", readOnly: true },
    { point: "/mnt/ro2", type: "ext4", readOnly: true },
  ]);
});

it("reads what macOS' mount prints", () => {
  const text = [
    "/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)",
    "/dev/disk3s5 on /System/Volumes/Data (apfs, local, journaled, nobrowse)",
    "//me@nas/share on /Volumes/share on nas (smbfs, nodev, nosuid, mounted by me)",
    "",
  ].join("\n");
  expect(parseMountOutput(text)).toEqual([
    { point: "/", type: "apfs", readOnly: true },
    { point: "/System/Volumes/Data", type: "apfs", readOnly: false },
    { point: "/Volumes/share on nas", type: "smbfs", readOnly: false },
  ]);
});

it.each(["nfs", "nfs4", "9p", "virtiofs", "fuse", "fuse.sshfs", "fuse.grpcfuse", "cifs", "smbfs", "vboxsf"])(
  "knows that locks may fail on %s",
  (type) => expect(locksMayFail(type)).toBe(true),
);

it.each(["ext4", "xfs", "btrfs", "apfs", "overlay", "tmpfs", "zfs", "fusectl"])("takes %s for a disk", (type) =>
  expect(locksMayFail(type)).toBe(false),
);

it("finds the innermost mount of a path", () => {
  expect(mountOf("/proc/self")?.point).toBe("/proc");
  expect(mountOf("/")?.point).toBe("/");
});
