import { readdirSync, readFileSync } from "node:fs";
import { pullWords } from "@moorage/core";
import { describe, expect, it } from "vitest";
import { remedyFor } from "./remedy.ts";

const place = { context: "near", namespace: "team" };
const pod = "buzz-agent-0123456789ab";
const kubectl = "`kubectl --context near --namespace team";

/** Every code that stands in the sources of a start, and every hint beside one that names the command or its declaration. */
function inSources(): { readonly codes: readonly string[]; readonly hints: readonly string[] } {
  const texts = ["../../core/src/deploy/", "../../kubernetes/src/"].flatMap((folder) => {
    const place = new URL(folder, import.meta.url);
    const names = readdirSync(place).filter((name) => name.endsWith(".ts") && !/\.(?:test|fixture)\.ts$/.test(name));
    return names.map((name) => readFileSync(new URL(name, place), "utf8"));
  });
  const codes = texts.flatMap((text) => [...text.matchAll(/\bcode: ([^\n]*)/g), ...text.matchAll(/\bplain\(("\w+")/g)]);
  const named = codes.flatMap(([, line = ""]) =>
    [...(line.split("message:")[0]?.matchAll(/"(\w+)"/g) ?? [])].map((one) => one[1] ?? ""),
  );
  const lines = texts.flatMap((text) => text.replaceAll("\\`", "`").split("\n"));
  const hints = lines.filter(
    (line) => /`moorage [a-z]|`kubernetes\.\w|the declaration/.test(line) && !/^\s*(?:\/?\*|\/\/)/.test(line),
  );
  return { codes: [...new Set([...named, ...Object.keys(pullWords)])], hints };
}

const { codes, hints } = inSources();

describe("whoever has only the provider", () => {
  it("is in question here for every code that a start can end or wait with", () => {
    expect(codes).toEqual(
      expect.arrayContaining([
        "agentEnded",
        "cannotTell",
        "claimMissing",
        "created",
        "createError",
        "crashLoop",
        "duplicateIdentity",
        "ending",
        "evicted",
        "finalizerHolds",
        "forbidden",
        "foreignObject",
        "imagePull",
        "intentNotComparable",
        "initFailed",
        "nodeLost",
        "nodeNotReady",
        "notConfirmed",
        "quotaExceeded",
        "refused",
        "scopeAbsent",
        "turnedDown",
        "unauthorized",
        "unreachable",
        "unschedulable",
        "volumeFails",
        "waiting",
        "worldMoved",
      ]),
    );
    expect(codes.length).toBeGreaterThan(60);
    expect(hints.length).toBeGreaterThan(40);
  });

  it.each(codes)("is told nothing of a command that is not there: %s", (code) => {
    for (const hint of hints) {
      const remedy = remedyFor({ code, message: "so it is", hint }, place, pod);
      expect(remedy).not.toMatch(/moorage |`kubernetes\.|\bdeclar|nodeSelector`/);
      expect(remedy).not.toBe("");
    }
  });
});

describe("what helps", () => {
  const own = "run `moorage doctor`";
  it.each([
    [
      "intentNotComparable",
      own,
      `to replace it, run ${kubectl} delete pod ${pod}\` and start the agent again; else it is waited for`,
    ],
    [
      "agentEnded",
      own,
      `${kubectl} logs ${pod}\` shows all that it wrote; start the agent again once that is put right`,
    ],
    ["foreignObject", own, `rename or remove ${pod} yourself, then start the agent again`],
    ["unauthenticated", own, "sign in again with your cluster's tool, or choose another context"],
    [
      "unreachable",
      own,
      "check the network, the kubeconfig and what it needs, then start the agent again; what is running goes on",
    ],
    ["forbidden", own, "ask whoever runs the cluster for that right in the namespace"],
    ["invalid", own, "change the provider's settings accordingly, then start the agent again"],
    ["evicted", own, "start the agent again"],
    ["refused", own, "start the agent again once that is put right"],
    [
      "archMismatch",
      own,
      `build it for the node's platform, or choose other nodes with \`pod_options.node_selector\`, then run ${kubectl} delete pod ${pod}\` and start the agent again`,
    ],
    [
      "createError",
      own,
      `correct the image, then run ${kubectl} delete pod ${pod}\` and start the agent again; ${kubectl} describe pod ${pod}\` says more`,
    ],
    [
      "unschedulable",
      "ask for less in `kubernetes.resources.requests`",
      `ask for less or for other nodes in the provider's settings, or make room on a node, and start the agent again; ${kubectl} describe pod ${pod}\` says more`,
    ],
    ["unschedulable", "add a node; `kubectl get nodes` lists them", "add a node; `kubectl get nodes` lists them"],
    ["scopeAbsent", "run `kubectl create namespace team`", "run `kubectl create namespace team`"],
    ["scopeAbsent", "run `kubectl create namespace moorage-x`", "run `kubectl create namespace moorage-x`"],
    [
      "somethingNew",
      "`moorage deploy scribe` waits for it",
      `nothing was undone: start the agent again to go on waiting; ${kubectl} describe pod ${pod}\` says more`,
    ],
    ["somethingNew", "wait a moment", "wait a moment"],
    ["constructor", "wait a moment", "wait a moment"],
  ])("%s, with the hint %s", (code, hint, remedy) => {
    expect(remedyFor({ code, message: "so it is", hint }, place, pod)).toBe(remedy);
  });

  it("is told for the current context as well, and for names that a shell would take apart", () => {
    const told = remedyFor(
      { code: "agentEnded", message: "", hint: "" },
      { context: "my cluster", namespace: "team" },
      pod,
    );
    expect(told).toContain("kubectl --context 'my cluster' --namespace team logs");
    expect(
      remedyFor({ code: "agentEnded", message: "", hint: "" }, { context: null, namespace: "team" }, pod),
    ).toContain("`kubectl --namespace team logs");
  });
});
