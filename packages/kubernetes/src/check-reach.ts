/** Checks the way to a cluster: which kubeconfig, which server, who we are there, and what its clock says. Never a credential in any text. */
import { understandRead } from "./answers.ts";
import type { Check } from "./check.ts";
import { note, ok, problem, warning } from "./check.ts";
import type { ClusterAccess } from "./cluster-access.ts";
import { ClusterError } from "./cluster-error.ts";
import type { Credentials } from "./credentials.ts";
import { fieldsOf, parseFields, textOf } from "./json-fields.ts";
import type { Requests } from "./requests.ts";
import type { Answered } from "./transport.ts";

/** Milliseconds by which two clocks may differ before it is told. */
const clockSlackMs = 60_000;

export function kubeconfigCheck({ files, context, namespace }: ClusterAccess): Check {
  const where = files.length === 0 ? "the inside of a pod, by its service account" : files.join(", ");
  const chosen = context === null ? "" : `, context ${context}`;
  return ok("kubeconfig", `${where}${chosen}, namespace ${namespace}`);
}

export type Reach =
  | { readonly kind: "answers"; readonly answer: Answered; readonly checks: readonly Check[] }
  | { readonly kind: "unreached"; readonly checks: readonly Check[] };

/** The first request of all. What comes after it makes sense only when the server answers and knows us. */
export async function checkReach(access: ClusterAccess, credentials: Credentials, requests: Requests): Promise<Reach> {
  const { server, user } = access;
  try {
    await credentials.current();
  } catch (error) {
    if (!(error instanceof ClusterError)) throw error;
    return { kind: "unreached", checks: [problem("user", error.message, error.hint)] };
  }
  const answer = await requests.send({ method: "GET", path: "/version" });
  if (answer.kind !== "answered") {
    const lasting = answer.kind === "notSent" && answer.lasting;
    const hint = lasting
      ? "let your provider's tool write the kubeconfig again, or ask whoever runs the cluster"
      : "check the network, a VPN, and whether the cluster runs; `kubectl cluster-info` should answer too";
    return { kind: "unreached", checks: [problem("API server", `${server} is not reached: ${answer.detail}`, hint)] };
  }
  if (answer.status === 401) {
    const message = `the API server does not accept ${user.name}, who signs in by ${credentialInWords(access)}`;
    const hint = "sign in again with your provider's tool, or choose another context with `--context`";
    return { kind: "unreached", checks: [serverCheck(access, answer), problem("user", message, hint)] };
  }
  if (answer.status < 300 && versionOf(answer) === null) {
    const message = `what answers at ${server} is no API server`;
    const hint = "a sign-in page, a proxy or something else listens there: check `server` in the kubeconfig";
    return { kind: "unreached", checks: [problem("API server", message, hint)] };
  }
  return { kind: "answers", answer, checks: [serverCheck(access, answer)] };
}

function versionOf({ body }: Answered): string | null {
  return textOf(parseFields(body)?.["gitVersion"]);
}

function serverCheck({ server, insecure, proxy }: ClusterAccess, answer: Answered): Check {
  const version = versionOf(answer);
  const through = proxy === null ? "" : ` through the proxy ${URL.parse(proxy)?.host ?? ""}`;
  const reached = `${server}${through}${version === null ? " answers" : `, Kubernetes ${version}`}`;
  const secure = server.startsWith("https:");
  if (secure && !insecure) return ok("API server", reached);
  return warning(
    "API server",
    `${reached}; ${secure ? "its certificate is not looked at" : "what is sent there is not encrypted"}`,
    "let the kubeconfig name https:// and the authority of its certificate (certificate-authority-data)",
  );
}

/** Who the server takes us for, which is not always the name in the kubeconfig. */
export async function checkUser(access: ClusterAccess, requests: Requests): Promise<Check> {
  const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
  const body = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
  const asked = requests.asked("create", "selfsubjectreviews");
  const answer = understandRead(await requests.send({ method: "POST", path, body }), asked);
  const object = answer.kind === "success" ? answer.object : {};
  const known = textOf(fieldsOf(fieldsOf(object["status"])["userInfo"])["username"]);
  const told = `${access.user.name}, by ${credentialInWords(access)}`;
  return ok("user", known === null ? told : `${told}; the API server knows it as ${known}`);
}

function credentialInWords({ user }: ClusterAccess): string {
  const { exec, rare, token, basic, certificate, impersonate } = user;
  const kinds = [
    exec === null ? null : `the plugin ${exec.command}`,
    rare === null ? null : rare.what,
    token === null ? null : token.kind === "file" ? `the token in ${token.path}` : "a token",
    basic === null ? null : "a password",
    certificate === null ? null : "a certificate",
  ].filter((kind) => kind !== null);
  const as = impersonate === null ? "" : `, acting as ${impersonate.user}`;
  return `${kinds.length === 0 ? "nothing" : kinds.join(" and ")}${as}`;
}

/** `now`: this machine's clock as the answer came, in milliseconds since 1970. */
export function clockCheck(serverTime: number | null, now: number): Check {
  const gc = "leftovers of earlier starts are collected by the cluster's clock alone";
  if (serverTime === null) {
    return note("clock", "the API server does not tell its time", `${gc}: without it they stay`);
  }
  const apart = serverTime - now;
  if (Math.abs(apart) <= clockSlackMs)
    return ok("clock", "the cluster's and this machine's are less than a minute apart");
  const message = `the cluster's is ${durationInWords(Math.abs(apart))} ${apart > 0 ? "ahead of" : "behind"} this machine's`;
  return note("clock", message, `${gc}; times that are shown are the cluster's, and a credential may end early`);
}

function durationInWords(milliseconds: number): string {
  const minutes = Math.round(milliseconds / 60_000);
  if (minutes < 120) return `${minutes} min`;
  return minutes < 2_880 ? `${Math.round(minutes / 60)} h` : `${Math.round(minutes / 1_440)} days`;
}
