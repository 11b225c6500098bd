/** Which file system a path is on: locks do not hold on every one, and a state there would not be safe. */

export interface Mount {
  readonly point: string;
  /** The kernel's name of the type, such as `ext4` or `nfs4`. */
  readonly type: string;
  readonly readOnly: boolean;
}
