/** The shape of `spec.kubernetes`: checked in form here, used where agents run as pods. */
import * as z from "zod/mini";
import type { KubernetesDocument } from "./document.ts";
import type { Text } from "./shape-parts.ts";
import { anyText, count, durationText, listOf, nameText, nonEmptyText, oneOf, strict, text } from "./shape-parts.ts";

const quantityPattern = "^[0-9]+(\\.[0-9]+)?(m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei)?$";

function quantity(description: string): z.ZodMiniOptional<Text> {
  const check = (value: string): { message: string; hint: string } | null =>
    new RegExp(quantityPattern).test(value)
      ? null
      : { message: `${JSON.stringify(value)} is no quantity`, hint: 'write it like "100m", "0.5" or 256Mi' };
  return z.optional(text(description, check, { pattern: quantityPattern }));
}

/** Makes the shape; everything in it is optional. */
export function kubernetesShape(): z.ZodMiniType<KubernetesDocument> {
  const amounts = {
    cpu: quantity("CPU"),
    memory: quantity("Memory"),
    "ephemeral-storage": quantity("Space on the node's disk"),
  };

  const resources = strict(
    {
      requests: z.optional(strict(amounts, "What is set aside. Default: 100m CPU, 256Mi")),
      limits: z.optional(strict(amounts, "What is never exceeded. Default: 1Gi memory")),
    },
    "CPU, memory and disk",
  );

  const toleration = strict(
    {
      key: z.optional(nonEmptyText("The taint's key")),
      operator: z.optional(oneOf(["Equal", "Exists"], "How the value is compared")),
      value: z.optional(anyText("The taint's value")),
      effect: z.optional(oneOf(["NoSchedule", "PreferNoSchedule", "NoExecute"], "The taint's effect")),
      tolerationSeconds: z.optional(count("For how long, in seconds")),
    },
    "A taint that is tolerated",
  );

  const workspace = strict(
    {
      claim: z.optional(nameText("An existing PersistentVolumeClaim: the workspace survives the pod")),
      sizeLimit: quantity("The most that a workspace which goes with the pod may hold"),
    },
    "Where the agent's lasting folder lies",
    ["claim", "sizeLimit"],
  );

  return strict(
    {
      resources: z.optional(resources),
      nodeSelector: z.optional(
        z
          .record(nonEmptyText("label"), anyText("value"))
          .check(z.meta({ description: "Labels that its node must have" })),
      ),
      tolerations: z.optional(listOf(toleration, "Taints that are tolerated")),
      workspace: z.optional(workspace),
      serviceAccount: z.optional(nonEmptyText("A service account; its token is never mounted")),
      imagePullSecrets: z.optional(listOf(nonEmptyText("A Secret"), "Secrets with registry credentials")),
      runtimeClass: z.optional(nonEmptyText("A runtime class")),
      activeDeadline: z.optional(durationText("The pod is ended after this long, whatever it does")),
      networkPolicy: z.optional(oneOf(["none", "denyAll"], "A network policy that is made with it. Default: none")),
    },
    "How the pod is made",
  ) as z.ZodMiniType<KubernetesDocument>;
}
