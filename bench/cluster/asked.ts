// Which requests a piece of work makes in one namespace, by the API server's own record.
import type { AskedRequest } from "../../test/cluster/up/audit.ts";
import { auditMark, requestsSince } from "../../test/cluster/up/audit.ts";
import type { Ground } from "./ground.ts";

export async function askedBy(
  { layout }: Pick<Ground, "layout">,
  namespace: string,
  work: () => Promise<unknown>,
): Promise<readonly AskedRequest[]> {
  const mark = auditMark(layout);
  await work();
  const requests = await requestsSince(layout, mark);
  return requests.filter((one) => one.userAgent === "moorage" && one.namespace === namespace);
}
