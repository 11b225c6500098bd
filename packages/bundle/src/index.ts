/** What `bundle` offers: catalogs as files, from a directory to what may go live. */
export {};
