// The suite on the in-memory substrate of the simulation.
import { memory } from "./memory-bench.ts";
import { conformance } from "./suite.ts";

conformance(memory);
