/** Who runs the tests, and how a test about rights comes to a user that has few: root becomes nobody, anybody else has few already. */

export const isRoot: boolean = process.getuid?.() === 0;

/** nobody, by its number: it has no home and owns nothing. */
export const nobodyId = 65_534;

/** For a call that must not be root's. */
export const unprivileged: { readonly uid?: number } = isRoot ? { uid: nobodyId } : {};

/** Why a test is not run, for its name. Mounts and other users need root: `sudo npm test`, or any container. */
export const needsRoot = "needs root: run it in a container, or with sudo";
