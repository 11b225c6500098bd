/** The version that every JSON object of the command carries. */

export const jsonVersion = "moorage.dev/cli/v1";
