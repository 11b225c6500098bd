/** Plays requests that are nearly right through the real process: each is answered by the protocol, and none by a cluster. */
import fc from "fast-check";
import { answerOf, type Desktop } from "./desktop.ts";
import { mutations } from "./mutations.ts";
import { secretValues } from "./request.ts";

type Fields = Readonly<Record<string, unknown>>;

const atOnce = 4;
const longestAnswer = 10_000;

/** How many were refused by what they say, and how many were valid and got as far as the kubeconfig, which is not there. */
export interface Played {
  readonly refused: number;
  readonly valid: number;
}

/** Throws, with the request, for an answer that breaks a rule. */
export async function playMutations(desktop: Desktop, rounds: number): Promise<Played> {
  const seed = Number(process.env["MOORAGE_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
  const requests = fc.sample(mutations, { numRuns: rounds, seed });
  const played = { refused: 0, valid: 0 };
  async function next(): Promise<void> {
    for (let request = requests.pop(); request !== undefined; request = requests.pop()) {
      try {
        const ended = await desktop.ask(request);
        const { ok, error = "" } = answerOf(ended, secretsOf(request));
        if (ok || ended.stdout.length > longestAnswer) throw new Error(`an answer of ${ended.stdout.length} bytes`);
        played[error.startsWith("there is no kubeconfig") ? "valid" : "refused"] += 1;
      } catch (error) {
        throw new Error(`MOORAGE_SEED=${seed}: ${request.toString("latin1")}`, { cause: error });
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, next));
  return played;
}

/** Those that stand where secrets stand: moved to another field alone, nobody can know them for what they are. */
function secretsOf(request: Buffer): readonly string[] {
  let agent: Fields;
  try {
    agent = fieldsOf(fieldsOf(JSON.parse(request.toString("utf8")))["agent"]);
  } catch {
    return secretValues;
  }
  const launch = fieldsOf(agent["launch"]);
  const environments = [agent["env_vars"], launch["env"], launch["policy_env"]].flatMap((one) =>
    Object.values(fieldsOf(one)),
  );
  const held = [agent["private_key_nsec"], agent["auth_tag"], ...environments].map((one) =>
    typeof one === "string" ? one.trim() : "",
  );
  return secretValues.filter((secret) => held.includes(secret));
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}
