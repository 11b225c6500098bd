/** The flags that several commands have, as data. */
import type { FlagSpec } from "./command-spec.ts";

/** With -f. */
export const file: FlagSpec = {
  name: "file",
  short: "f",
  value: "PATH",
  description: "the declaration: a file, or a folder of them (default agent.yaml)",
  complete: "file",
};

/** Where -f is something else. */
export const longFile: FlagSpec = { name: file.name, value: "PATH", description: file.description, complete: "file" };

export const follow: FlagSpec = { name: "follow", short: "f", description: "go on with what comes, until Ctrl-C" };

export const deadline: FlagSpec = {
  name: "deadline",
  value: "DURATION",
  description: "how long to wait, such as 30s; 0 acts and looks once. It never bounds what goes on",
};

export const settle: FlagSpec = {
  name: "settle",
  value: "DURATION",
  description: "watch for this long whether it goes on running (default 2s in a terminal, else 0)",
};

/** Flags that every command has. */
export const commonFlags: readonly FlagSpec[] = [
  {
    name: "on",
    value: "SUBSTRATE",
    description: "where: local (default) or kubernetes",
    complete: ["local", "kubernetes"],
  },
  {
    name: "state",
    value: "DIR",
    description: "the state directory (default ~/.local/state/moorage, or $XDG_STATE_HOME/moorage)",
    complete: "folder",
  },
  {
    name: "context",
    value: "NAME",
    description: "the context of your kubeconfig, with --on kubernetes (default: the current one)",
  },
  { name: "namespace", value: "NAME", description: "the namespace, with --on kubernetes (default: the context's)" },
  { name: "json", description: "one JSON object on standard output (one a line for streams), and nothing else" },
  { name: "quiet", description: "results and errors only" },
  { name: "verbose", description: "every step" },
  { name: "no-color", description: "no colours (NO_COLOR does the same)" },
  { name: "help", short: "h", description: "this text" },
];
