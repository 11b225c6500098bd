/** An admission webhook of a test's own, in this process and with an authority of its own, for the objects of one namespace. */
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Json } from "@moorage/core";
import { ownAuthority } from "../own-authority.ts";
import { until } from "../up/run.ts";
import type { FaultScene } from "./fault-scene.ts";

/** What it answers to one object: null lets it pass as it is. */
export type Ruling =
  | { readonly deny: string | null }
  /** A JSON patch (RFC 6902). */
  | { readonly patch: readonly Json[] }
  /** Milliseconds after which it lets it pass. */
  | { readonly afterMs: number }
  | null;

export interface Webhook {
  readonly name: string;
  rule(ruling: Ruling): void;
  close(): Promise<void>;
}

const webhookName = "gate.moorage.test";

/** Asked for each pod of the scene's namespace, and its silence is a no (`failurePolicy: Fail`) after one second. */
export async function openWebhook(scene: FaultScene): Promise<Webhook> {
  const { api, namespace } = scene;
  const { certificate, key, remove } = ownAuthority(scene.layout, "127.0.0.1");
  remove();
  let ruling: Ruling = null;
  let asked = 0;
  const server = createServer({ cert: certificate, key }, (request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      asked += 1;
      const { uid } = (JSON.parse(Buffer.concat(pieces).toString()) as { request: { uid: string } }).request;
      const review = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response: answerOf(uid, ruling) };
      const say = (): void => void response.setHeader("Content-Type", "application/json").end(JSON.stringify(review));
      const late = ruling !== null && "afterMs" in ruling ? ruling.afterMs : 0;
      const timer = setTimeout(say, late);
      response.once("close", () => clearTimeout(timer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const configuration = {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "MutatingWebhookConfiguration",
    metadata: { name: namespace.name },
    webhooks: [
      {
        name: webhookName,
        clientConfig: {
          url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/`,
          caBundle: certificate.toString("base64"),
        },
        rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] }],
        namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace.name } },
        admissionReviewVersions: ["v1"],
        sideEffects: "None",
        timeoutSeconds: 1,
        failurePolicy: "Fail",
      },
    ],
  };
  const configurations = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";
  await api.send("POST", configurations, configuration);
  await until("the API server asks the webhook", async () => {
    await api.send("POST", `${namespace.path("pods")}?dryRun=All`, idlePod("probe", scene.here.image));
    return asked > 0;
  });
  return {
    name: webhookName,
    rule(next) {
      ruling = next;
    },
    async close() {
      await api.send("DELETE", `${configurations}/${namespace.name}`);
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

/** A pod that no scheduler looks at. */
export function idlePod(name: string, image: string, spec: Readonly<Record<string, Json>> = {}): Json {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name },
    spec: { schedulingGates: [{ name: "moorage.test/never" }], containers: [{ name: "idle", image }], ...spec },
  };
}

function answerOf(uid: string, ruling: Ruling): Json {
  if (ruling === null || "afterMs" in ruling) return { uid, allowed: true };
  if ("deny" in ruling)
    return { uid, allowed: false, ...(ruling.deny === null ? {} : { status: { message: ruling.deny } }) };
  const patch = Buffer.from(JSON.stringify(ruling.patch)).toString("base64");
  return { uid, allowed: true, patchType: "JSONPatch", patch };
}
