// The suite of every substrate, on pods.
import { conformance } from "../conformance/suite.ts";
import { kubernetes } from "./bench.ts";

conformance(kubernetes);
