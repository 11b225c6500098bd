/** What the API server was asked and by whom: its own record, one line a request. */
import { closeSync, fstatSync, mkdirSync, openSync, readSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { adminRequest } from "./admin.ts";
import type { Layout } from "./layout.ts";
import { until } from "./run.ts";

export interface AskedRequest {
  /** Its first word, without a version. */
  readonly userAgent: string;
  readonly verb: string;
  /** With its subresource, such as `pods/log`; the path where it is about no resource. */
  readonly resource: string;
  readonly namespace: string | null;
  readonly name: string | null;
  /** Milliseconds since 1970 by the API server's clock. */
  readonly at: number;
}

interface AuditEvent {
  readonly auditID: string;
  readonly verb: string;
  readonly userAgent?: string;
  readonly requestURI: string;
  readonly requestReceivedTimestamp: string;
  readonly objectRef?: {
    readonly resource?: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
}

const logOf = ({ dir }: Layout): string => join(dir, "log", "audit.jsonl");

/** The API server's flags for it. */
export function auditFlags(layout: Layout): string[] {
  const policy = join(layout.dir, "audit-policy.json");
  mkdirSync(join(layout.dir, "log"), { recursive: true });
  writeFileSync(
    policy,
    JSON.stringify({
      apiVersion: "audit.k8s.io/v1",
      kind: "Policy",
      // A watch is told when it begins and when it is over.
      omitStages: ["RequestReceived"],
      rules: [
        // What nodes and controllers say all the time.
        { level: "None", resources: [{ group: "coordination.k8s.io" }, { group: "", resources: ["events"] }] },
        { level: "Metadata" },
      ],
    }),
  );
  return [
    `--audit-policy-file=${policy}`,
    `--audit-log-path=${logOf(layout)}`,
    // Each line is there before the request is over.
    "--audit-log-mode=blocking",
  ];
}

export interface AuditMark {
  readonly from: number;
  readonly at: number;
}

/** Where the record ends now, to be read from later. */
export function auditMark(layout: Layout): AuditMark {
  return { from: statSync(logOf(layout)).size, at: Date.now() };
}

/** All requests that came since the mark and were answered before this call, each once. */
export async function requestsSince(layout: Layout, { from, at }: AuditMark): Promise<AskedRequest[]> {
  // Lines are in the order in which requests ended: with this one, those before it are there too.
  const last = `/version?asked=${process.hrtime.bigint()}`;
  await adminRequest(layout, "GET", last);
  await until("the record has the last request", () => readFrom(logOf(layout), from).includes(last));
  const seen = new Set<string>();
  return (
    readFrom(logOf(layout), from)
      .split("\n")
      .filter((line) => line.endsWith("}"))
      .map((line) => JSON.parse(line) as AuditEvent)
      // A watch is told twice, and the end of an older one is none of these.
      .filter(({ auditID, requestURI }) => requestURI !== last && !seen.has(auditID) && seen.add(auditID))
      .map(asked)
      .filter((one) => one.at >= at)
  );
}

function asked({ verb, userAgent = "", requestURI, requestReceivedTimestamp, objectRef }: AuditEvent): AskedRequest {
  const { resource, subresource, namespace = null, name = null } = objectRef ?? {};
  const path = requestURI.split("?")[0] ?? "";
  return {
    userAgent: userAgent.split(/[/ ]/)[0] ?? "",
    verb,
    resource: resource === undefined ? path : [resource, subresource].filter((part) => part !== undefined).join("/"),
    namespace,
    name,
    at: Date.parse(requestReceivedTimestamp),
  };
}

function readFrom(path: string, from: number): string {
  const log = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(Math.max(0, fstatSync(log).size - from));
    return bytes.toString("utf8", 0, readSync(log, bytes, 0, bytes.length, from));
  } finally {
    closeSync(log);
  }
}
