// `bare-watch.ts HOST_PORT AUTHORITY TOKEN PATH`: the least that a watch in Node can be. It prints, for each pod that begins to run, its name and UID and the nanoseconds of the machine's monotonic clock.
import { readFileSync } from "node:fs";
import { request } from "node:https";

interface WatchEvent {
  readonly object: {
    readonly metadata: { readonly name: string; readonly uid: string };
    readonly status?: { readonly containerStatuses?: readonly { readonly state: { readonly running?: unknown } }[] };
  };
}

const [server, authority, token, path] = process.argv.slice(2);
if (server === undefined || authority === undefined || token === undefined || path === undefined)
  throw new Error("usage: bare-watch.ts HOST_PORT AUTHORITY TOKEN PATH");

const seen = new Set<string>();
let rest = "";
request(
  `https://${server}${path}`,
  { ca: readFileSync(authority), headers: { Authorization: `Bearer ${token}`, "User-Agent": "bare-watch" } },
  (response) => {
    console.log(JSON.stringify({ watching: response.statusCode }));
    response.setEncoding("utf8").on("data", (text: string) => {
      const at = String(process.hrtime.bigint());
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const { metadata, status } = (JSON.parse(line) as WatchEvent).object;
        if (status?.containerStatuses?.[0]?.state.running === undefined || seen.has(metadata.uid)) continue;
        seen.add(metadata.uid);
        console.log(JSON.stringify({ name: metadata.name, uid: metadata.uid, at }));
      }
    });
    response.on("close", () => process.exit(1));
  },
).end();
