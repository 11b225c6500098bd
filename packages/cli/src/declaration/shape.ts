/** The shape of a declaration, from which the check and the JSON Schema both come. */
import * as z from "zod/mini";
import type { AgentDocument, ValueSourceDocument } from "./document.ts";
import { kubernetesShape } from "./shape-kubernetes.ts";
import {
  anyText,
  catalogNameText,
  count,
  durationOr,
  durationText,
  environment,
  envKeyText,
  listOf,
  nameText,
  nonEmptyText,
  oneOf,
  only,
  pathOf,
  someOf,
  strict,
  text,
  yesOrNo,
} from "./shape-parts.ts";

const apiVersion = "moorage.dev/v1alpha1";

const valueSource: z.ZodMiniType<ValueSourceDocument> = strict(
  {
    env: z.optional(envKeyText("The variable of the caller's environment that holds the value")),
    file: z.optional(pathOf("The file that holds the value; one newline at its end does not count")),
  },
  "Where the value comes from: env or file",
  ["env", "file"],
);

const identity = strict(
  {
    keyFrom: valueSource,
    as: z.optional(
      envKeyText("The variable in which the agent receives its key; without it the agent does not get the key"),
    ),
  },
  "A secp256k1 secret key (nsec1… or 64 hex digits) that makes the agent itself. Without it, its name does",
);

const run = strict(
  {
    command: z.optional(
      listOf(nonEmptyText("One word"), "What runs on this machine: the program and its first arguments; no shell", 1),
    ),
    image: z.optional(text("What runs on Kubernetes: an image, pinned by digest", imageFault, { minLength: 1 })),
    harness: z.optional(yesOrNo("The image has the harness as its entrypoint. Default: false")),
    args: z.optional(listOf(anyText("One argument"), "More arguments")),
    files: z.optional(
      listOf(
        pathOf("A file"),
        "The files that make the build on this machine. Default: the script that the command names",
      ),
    ),
  },
  "What runs",
);

const catalog = z.union([
  pathOf("The catalog's folder"),
  strict(
    {
      path: pathOf("The catalog's folder"),
      signal: z.optional(oneOf(["SIGHUP", "SIGUSR1", "SIGUSR2"], "The signal that tells the agent of a new catalog")),
      name: z.optional(
        catalogNameText("What its line of bundles is called within the fleet. Default: the name of the folder"),
      ),
      trial: z.optional(
        strict(
          {
            turns: z.optional(someOf("Turns that have to end well, of an agent that tells them. Default: 1")),
            bake: z.optional(
              durationOr("none", "How long the agent has to live with it. Default: 10s; none: its turns are enough"),
            ),
          },
          "What a new bundle has to get through before it counts",
        ),
      ),
    },
    "The catalog's folder, how the agent is told of a new one, and what a new one has to get through",
  ),
]);

const fingerprint = strict(
  {
    wireVersion: z.optional(count("Version of the wire format that the build speaks. Default: 1")),
    eventLogSchema: z.optional(count("Schema of the event log that the build reads and writes. Default: 1")),
    crdApiVersion: z.optional(
      text("Custom resources that the build's controller reconciles: group/version", groupVersionFault),
    ),
  },
  "The three format axes of the build",
);

const onlyTrue = { message: "can only be true", hint: "write `socket: true`, or leave it out" };
const health = z.union([
  oneOf(["none"], "Nothing is known of its health"),
  strict(
    {
      file: z.optional(pathOf("Healthy while this file was touched within maxAge")),
      maxAge: z.optional(durationText("How old the file may be. Default: 60s")),
      socket: z.optional(only(true, onlyTrue, "By what the agent last put")),
    },
    "How health is told",
    ["file", "socket"],
  ),
]);

const spec = strict(
  {
    fleet: z.optional(nameText("The agents that it talks to. Default: its own name")),
    identity: z.optional(identity),
    run,
    env: z.optional(environment("Plain variables of the agent's environment")),
    secretEnv: z.optional(
      z
        .record(envKeyText("name of the variable"), valueSource)
        .check(z.meta({ description: "Secret variables; their values never stand here" })),
    ),
    passEnv: z.optional(
      listOf(
        envKeyText("A variable"),
        "Variables that are handed over as they are set at `deploy`, such as HTTPS_PROXY; one that is not set is left out",
      ),
    ),
    catalog: z.optional(
      catalog.check(z.meta({ description: "Prompts, personas, model routing, tools: what steers the agent" })),
    ),
    fingerprint: z.optional(fingerprint),
    drain: z.optional(durationText("How long a turn may go on once a stop is asked for. Default: 30s")),
    grace: z.optional(
      durationText("When a stop becomes a kill, counted from its beginning; more than drain. Default: 60s"),
    ),
    idle: z.optional(durationOr("never", "The agent ends after this long without a turn. Default: never")),
    revive: z.optional(
      oneOf(["never", "onFailure"], "Whether `moorage keep` starts it again after a failure. Default: never"),
    ),
    allowTag: z.optional(yesOrNo("Accept an image that is not pinned by digest. Default: false")),
    health: z.optional(health.check(z.meta({ description: "How health is told. It is shown and never kills" }))),
    // Made only for a declaration that has one.
    kubernetes: z.optional(z.lazy(kubernetesShape)),
  },
  "What the agent is and how it is run",
);

/** One document of a declaration. */
export const agentShape: z.ZodMiniType<AgentDocument> = strict(
  {
    apiVersion: only(
      apiVersion,
      { message: "is not a version that this Moorage knows", hint: `write ${apiVersion}` },
      "The version of this form",
    ),
    kind: only("Agent", { message: "is not a kind that can be declared", hint: "write Agent" }, "What is declared"),
    metadata: strict({ name: nameText("The agent's name") }, "Which agent"),
    spec,
  },
  "One agent of Moorage",
);

function imageFault(value: string): { message: string; hint: string } | null {
  const hint = "write name:tag@sha256:… or name@sha256:…";
  if (value === "") return { message: "is empty", hint };
  if (/^[a-z]+:\/\//i.test(value)) return { message: "is a URL and no image reference", hint };
  return /^\w[\w./:@-]*$/.test(value) ? null : { message: "is no image reference", hint };
}

function groupVersionFault(value: string): { message: string; hint: string } | null {
  return /^[a-z0-9][a-z0-9.-]*\/v\d+((alpha|beta)\d+)?$/.test(value)
    ? null
    : { message: "is no group/version", hint: `write it like ${apiVersion}` };
}
