/** The failures that may pass: a start waits for them, and goes on when they have passed. */
import {
  answers,
  corruptsLayers,
  exchangesManifests,
  refusal,
  stallInLayer,
  truncatesLayers,
  wantsToken,
} from "./faults.ts";
import { openFront } from "./front.ts";
import { freePort } from "./guarded-registry.ts";
import type { Row } from "./meetings.ts";
import { harmed, pinnedAt } from "./meetings.ts";
import { freshName } from "./pushed.ts";

const inTrouble = { told: "imagePull", says: /the registry is in trouble/ } as const;
const limited = { told: "imagePull", says: /the registry limits pulls/ } as const;
const broken = { told: "imagePull", says: /what came is not what was asked for/ } as const;

const tooMany = refusal("TOOMANYREQUESTS", "unauthorized users are denied more pulls: manifest unknown until tomorrow");

export const passing: readonly Row[] = [
  {
    title: "a refused connection",
    told: "imagePull",
    says: /the connection is refused/,
    async meet(stage) {
      const { gateway: address } = stage.layout;
      const port = await freePort(address);
      const host = `${address}:${port}`;
      stage.tell(host, { server: `http://${host}` });
      const heal = async (): Promise<void> => {
        const front = await openFront({ upstream: stage.upstream, address, port });
        stage.later(() => front.end());
      };
      return { image: await pinnedAt(stage, host), heal };
    },
  },
  {
    title: "an unknown host",
    told: "imagePull",
    says: /the registry's name is not found/,
    async meet(stage) {
      const host = `${freshName("registry")}.invalid`;
      return {
        image: await pinnedAt(stage, host),
        heal: () => stage.tell(host, { server: `http://${stage.front.host}` }),
      };
    },
  },
  {
    title: "500 for a manifest",
    ...inTrouble,
    meet: (stage) => harmed(stage, answers("manifest", 500, refusal("UNKNOWN", "unknown error"))),
  },
  {
    title: "503 with a page for a manifest",
    ...inTrouble,
    meet: (stage) =>
      harmed(
        stage,
        answers("manifest", 503, "<html><body>denied: not found</body></html>", { "content-type": "text/html" }),
      ),
  },
  {
    title: "502 for a blob",
    ...inTrouble,
    meet: (stage) => harmed(stage, answers("blob", 502, "")),
  },
  {
    title: "a blob that is refused though its manifest was not",
    told: "imagePull",
    says: /cannot be pulled yet/,
    meet: (stage) => harmed(stage, answers("blob", 401, refusal("UNAUTHORIZED", "authentication required"))),
  },
  {
    title: "503 of the authorization service",
    ...inTrouble,
    meet: (stage) => harmed(stage, wantsToken(503)),
  },
  {
    title: "429 with a body for a manifest",
    ...limited,
    meet: (stage) => harmed(stage, answers("manifest", 429, tooMany, { "retry-after": "1" })),
  },
  {
    title: "429 with a body for a blob",
    ...limited,
    meet: (stage) => harmed(stage, answers("blob", 429, tooMany)),
  },
  {
    title: "a stall in the middle of a layer",
    told: "containerCreating",
    says: /its node prepares it/,
    async meet(stage) {
      const stall = stallInLayer();
      return { ...(await harmed(stage, stall.fault)), shown: stall.stalls, heal: stall.goOn };
    },
  },
  {
    title: "a truncated layer",
    told: "imagePull",
    says: /the connection breaks/,
    meet: (stage) => harmed(stage, truncatesLayers),
  },
  { title: "a layer of another digest", ...broken, meet: (stage) => harmed(stage, corruptsLayers) },
  { title: "a manifest of another digest", ...broken, meet: (stage) => harmed(stage, exchangesManifests) },
];
