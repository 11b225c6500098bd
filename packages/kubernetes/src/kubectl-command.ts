/** Commands of kubectl that are told to people: for the very cluster and namespace that was meant. */

export interface CommandPlace {
  /** The context's name; null inside a pod. */
  readonly context: string | null;
  readonly namespace: string;
}

/** For objects of the namespace. `rest` follows the flags: `describe pod NAME`. */
export function kubectl({ context, namespace }: CommandPlace, rest: string): string {
  return kubectlCluster({ context }, `--namespace ${quoted(namespace)} ${rest}`);
}

/** For objects of the whole cluster. */
export function kubectlCluster({ context }: Pick<CommandPlace, "context">, rest: string): string {
  return `kubectl ${context === null ? "" : `--context ${quoted(context)} `}${rest}`;
}

/** As a POSIX shell takes it for one word. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
