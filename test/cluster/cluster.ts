/** The command that brings the test cluster up and down, by hand: `node test/cluster/cluster.ts up [NODES]`. */
import { homedir } from "node:os";
import { places } from "./places.ts";
import { auditMark, requestsSince } from "./up/audit.ts";
import { findBinary } from "./up/binary.ts";
import { answers, down, status, up } from "./up/cluster.ts";
import { makeFakeNodes } from "./up/fake-nodes.ts";
import { setNodeLink } from "./up/node.ts";
import { restartPart, signalPart, stopPart } from "./up/part.ts";

const usage = `usage: cluster.ts up [NODES]
       cluster.ts down | env | status
       cluster.ts part NAME pause|resume|stop|start
       cluster.ts node N cut|heal
       cluster.ts fake NODES
       cluster.ts audit           counts requests until Ctrl-C`;

const { layout, binaries } = places(process.env, homedir());
const { dir } = layout;
const say = (line: string): void => void process.stderr.write(`${line}\n`);

async function main([command, first = "", second = ""]: readonly string[]): Promise<void> {
  switch (command) {
    case "up": {
      const began = performance.now();
      const apiFlags = (process.env["MOORAGE_CLUSTER_API_FLAGS"] ?? "").split(/\s+/).filter((flag) => flag !== "");
      await up(layout, { nodes: first === "" ? 1 : Number(first), binaries, apiFlags, say });
      say(`up after ${((performance.now() - began) / 1000).toFixed(1)} s; export KUBECONFIG=${dir}/admin.kubeconfig`);
      return;
    }
    case "down":
      return down(layout);
    case "env":
      process.stdout.write(`export KUBECONFIG=${dir}/admin.kubeconfig\n`);
      return;
    case "status":
      for (const line of status(layout)) process.stdout.write(`${line}\n`);
      process.stdout.write((await answers(layout)) ? "the API server answers\n" : "the API server does not answer\n");
      return;
    case "part":
      if (second === "pause") signalPart(dir, first, "SIGSTOP");
      else if (second === "resume") signalPart(dir, first, "SIGCONT");
      else if (second === "stop") await stopPart(dir, first);
      else if (second === "start") restartPart(dir, first);
      else throw new Error(usage);
      return;
    case "node":
      if (second !== "cut" && second !== "heal") throw new Error(usage);
      setNodeLink(layout, Number(first), second === "cut" ? "down" : "up");
      return;
    case "fake":
      return makeFakeNodes(layout, findBinary(binaries, "kwok", say), Number(first));
    case "audit":
      return countRequests();
    default:
      throw new Error(usage);
  }
}

/** Who asked how often for what, while it ran. */
async function countRequests(): Promise<void> {
  const mark = auditMark(layout);
  say("counting; Ctrl-C shows the requests");
  const stays = setInterval(() => undefined, 60_000);
  await new Promise((resolve) => process.once("SIGINT", resolve));
  clearInterval(stays);
  const kinds = (await requestsSince(layout, mark)).map((one) => `${one.userAgent} ${one.verb} ${one.resource}`);
  const counts = Map.groupBy(kinds, (kind) => kind);
  for (const [kind, { length }] of [...counts].sort(([, one], [, other]) => other.length - one.length))
    process.stdout.write(`${String(length).padStart(6)} ${kind}\n`);
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
