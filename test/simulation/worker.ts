/** One worker of the simulation: plays its share of the seeds and tells the result. */
import { parentPort, workerData } from "node:worker_threads";
import type { Share } from "./many.ts";
import { playMany } from "./many.ts";

parentPort?.postMessage(await playMany(workerData as Share, () => performance.now()));
