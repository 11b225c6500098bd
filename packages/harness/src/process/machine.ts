/** Which machine, which boot and which numbering of processes a record is about. */

export interface MachineIdentity {
  /** Stays the same for the life of the installation. Null: this machine does not tell. */
  readonly machineId: string | null;
  /** Another one after each restart of the machine. Null: this machine does not tell. */
  readonly bootId: string | null;
  /** The PID namespace that process numbers belong to; "" where the platform has a single one. Null: cannot be read. */
  readonly pidNamespace: string | null;
}
