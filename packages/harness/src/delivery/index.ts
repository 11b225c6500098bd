/** What `harness` offers to whoever delivers bundles to agents, or looks at that from outside. Loaded for agents with a catalog alone. */
export type { DeliveryPorts, DeliverySpec } from "./courier.ts";
export type { Delivery } from "./delivery.ts";
export { openDelivery } from "./delivery.ts";
export type { DeliveryAnswer, OwnOffer } from "./delivery-files.ts";
export { askRetry, deliveryPaths, readAnswer, readDelivery, writeOffer } from "./delivery-files.ts";
export type { Start } from "./start.ts";
