// The suite on one machine: processes, locks and a database of this machine.
import { local } from "./local-bench.ts";
import { conformance } from "./suite.ts";

conformance(local);
