/** What the tests of failing pulls share: the registries that fail, what nodes know of them, and what undoes it all. */
import type { OwnAuthority } from "../own-authority.ts";
import { ownAuthority } from "../own-authority.ts";
import type { Layout } from "../up/layout.ts";
import type { Front } from "./front.ts";
import { openFront } from "./front.ts";
import type { GuardedRegistry } from "./guarded-registry.ts";
import { openGuardedRegistry } from "./guarded-registry.ts";
import type { Whereabouts } from "./trust.ts";
import { tellNodes } from "./trust.ts";

export interface Stage {
  readonly layout: Layout;
  /** The cluster's own registry from here, for pushes. */
  readonly upstream: string;
  /** Misbehaves as it is told, by the repository. */
  readonly front: Front;
  /** Speaks HTTP, and no node knows. */
  readonly plain: Front;
  /** Has a certificate that no node trusts. */
  readonly secure: Front;
  readonly authority: OwnAuthority;
  readonly guarded: GuardedRegistry;
  /** Tells the nodes of a registry, until the end. */
  tell(host: string, whereabouts: Whereabouts): void;
  /** Undone with everything else. */
  later(undo: () => void | Promise<void>): void;
  end(): Promise<void>;
}

export async function openStage(layout: Layout): Promise<Stage> {
  const undo: (() => void | Promise<void>)[] = [];
  const upstream = `127.0.0.1:${layout.registryPort}`;
  const address = layout.gateway;
  const open = async (tls?: OwnAuthority): Promise<Front> => {
    const front = await openFront({ upstream, address, ...(tls === undefined ? {} : { tls }) });
    undo.push(() => front.end());
    return front;
  };
  const authority = ownAuthority(layout, address);
  undo.push(() => authority.remove());
  const [front, plain, secure] = [await open(), await open(), await open(authority)];
  const guarded = await openGuardedRegistry(layout);
  undo.push(() => guarded.end());
  const tell: Stage["tell"] = (host, whereabouts) => void undo.push(tellNodes(layout, host, whereabouts));
  tell(front.host, { server: `http://${front.host}` });
  tell(guarded.host, { server: `http://${guarded.host}` });
  return {
    layout,
    upstream,
    front,
    plain,
    secure,
    authority,
    guarded,
    tell,
    later: (one) => void undo.push(one),
    async end() {
      for (const one of undo.splice(0).reverse()) await one();
    },
  };
}
