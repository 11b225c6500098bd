/** What `harness` offers: the supervisor of one agent, and the port that its substrate fills. */
export type * from "./record.ts";
