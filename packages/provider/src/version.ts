/** The version of this provider, that of its package: a test compares the two. */
export const providerVersion = "0.1.0";
