/** `moorage stop`: a person's word that ends agents, at a turn boundary where there is one. */
import type { Invocation, Run } from "../args/command-spec.ts";
import { usageError } from "../errors/cli-error.ts";
import { worstExit } from "../errors/exit-code.ts";
import { resolveSelf } from "../inside.ts";
import { showProgress } from "../output/progress.ts";
import { durationFlag } from "../selection.ts";
import { withSession } from "../session.ts";
import type { StopOptions } from "../stop/stop-one.ts";
import { stopJson, stopOne } from "../stop/stop-one.ts";
import { stopTargets } from "../stop/stop-targets.ts";
import { stopText } from "../stop/stop-text.ts";

export const stop: Run = async (invocation, host) => {
  const { words, flags } = invocation;
  const all = flags["all"] === true;
  if (all === words.length > 0)
    throw usageError(
      all ? "both names and --all are there" : "stop needs a name",
      "write `moorage stop NAME…` or `moorage stop --all`",
    );
  const names = all ? "all" : resolveSelf(words, host.env);
  const options = stopOptions(invocation);
  return withSession(invocation, host, { mode: "write" }, async (session) => {
    const targets = await stopTargets(names, session, host.env);
    const { output } = host;
    const progress = showProgress(output, () => session.clock.now());
    try {
      const journal = progress.through(session.scope.journal);
      const results = await Promise.all(
        targets.map(async (target) => {
          progress.begin(target.agent, "stopping");
          const result = await stopOne(target, options, session, journal, host.interrupt);
          progress.end(target.agent, stopText(result, output));
          return result;
        }),
      );
      if (targets.length === 0) output.line("nothing to stop");
      if (output.json) output.object("StopResult", { agents: results.map(stopJson) });
      return worstExit(results.map(({ exit }) => exit));
    } finally {
      progress.close();
    }
  });
};

function stopOptions(invocation: Invocation): StopOptions {
  const { flags } = invocation;
  return {
    deadlineMs: flags["deadline"] === undefined ? null : durationFlag(invocation, "deadline", 0),
    now: flags["now"] === true,
    purge: flags["purge"] === true,
  };
}
