/** What the cluster's side offers: texts and objects of Kubernetes, decoded into core's words. */
export * from "./image-reference.ts";
