/** What the environment of an agent can hold, wherever it runs: what goes beyond is refused before anything is sent. */

/** The name of a variable, as POSIX has it. */
export const variablePattern = "^[A-Za-z_][A-Za-z0-9_]*$";

/** Linux refuses to start a process with a longer `KEY=value` (MAX_ARG_STRLEN without the ending NUL). */
export const longestEntryBytes = 131_071;

/** All together, which is also what a Secret may hold (Kubernetes, MaxSecretSize). */
export const longestEnvironmentBytes: number = 1024 * 1024;
