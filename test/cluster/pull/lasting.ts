/** The failures that no waiting mends: reported at once, until a person has mended them. */
import { ownAuthority } from "../own-authority.ts";
import { ownArchitecture, pushImage } from "../up/oci-image.ts";
import { answers, refusal, wantsToken } from "./faults.ts";
import { openFront } from "./front.ts";
import type { Meeting, Row } from "./meetings.ts";
import { harmed, pinnedAt, pullSecretName } from "./meetings.ts";
import { freshName, pushIndex, pushRelabelled, pushUnique, uniqueImage } from "./pushed.ts";
import type { Stage } from "./stage.ts";

const refused = { told: ["unauthorized"], says: /refuses these credentials/ } as const;
const privateOrAbsent = { told: ["deniedOrAbsent"], says: /private or absent/ } as const;
const absent = { told: ["manifestUnknown"], says: /does not exist/ } as const;
const misfit = { told: ["archMismatch"], says: /no variant for the node's architecture/ } as const;
const misconfigured = { told: ["registryMisconfigured"], says: /not set up for each other/ } as const;

export const lasting: readonly Row[] = [
  {
    title: "no credentials",
    told: ["unauthorized", "deniedOrAbsent"],
    says: /refuses these credentials|private or absent/,
    meet: guarded,
  },
  {
    title: "wrong credentials",
    ...refused,
    meet: async (stage) => ({ ...(await guarded(stage)), credentials: stage.guarded.credentials("wrong") }),
  },
  { title: "an authorization service that refuses", ...refused, meet: (stage) => harmed(stage, wantsToken(401)) },
  {
    title: "an authorization service that forbids",
    ...privateOrAbsent,
    meet: (stage) => harmed(stage, wantsToken(403)),
  },
  { title: "a token that is not enough", ...privateOrAbsent, meet: (stage) => harmed(stage, wantsToken(200)) },
  {
    title: "a registry that forbids",
    ...refused,
    meet: (stage) => harmed(stage, answers("manifest", 403, refusal("DENIED", "requested access is denied"))),
  },
  {
    title: "an unknown tag",
    ...absent,
    async meet({ front, upstream }) {
      const repository = freshName("tagged");
      await pushUnique(upstream, repository);
      const heal = async (): Promise<void> => void (await pushImage(upstream, repository, "2", uniqueImage()));
      return { image: `${front.host}/${repository}:2`, heal };
    },
  },
  { title: "an unknown digest", ...absent, meet: (stage) => notPushed(stage, { repositoryThere: true }) },
  { title: "an unknown repository", ...absent, meet: (stage) => notPushed(stage, { repositoryThere: false }) },
  {
    title: "an image index without a match",
    ...misfit,
    async meet({ front, upstream }) {
      const repository = freshName("indexed");
      const digest = await pushUnique(upstream, repository);
      await pushIndex(upstream, repository, digest, "s390x");
      const heal = (): Promise<void> => pushIndex(upstream, repository, digest, ownArchitecture);
      return { image: `${front.host}/${repository}:2`, heal };
    },
  },
  {
    title: "a layer of a kind that the runtime does not know",
    told: ["unsupportedManifest"],
    says: /does not understand/,
    async meet({ front, upstream }) {
      const repository = freshName("relabelled");
      const digest = await pushUnique(upstream, repository);
      await pushRelabelled(upstream, repository, digest, "application/vnd.moorage.test.layer");
      const heal = (): Promise<void> =>
        pushRelabelled(upstream, repository, digest, "application/vnd.oci.image.layer.v1.tar+gzip");
      return { image: `${front.host}/${repository}:2`, heal };
    },
  },
  {
    title: "a certificate for another name",
    ...misconfigured,
    async meet(stage) {
      const { layout, upstream } = stage;
      const tls = ownAuthority(layout, "192.0.2.1");
      stage.later(() => tls.remove());
      const front = await openFront({ upstream, address: layout.gateway, tls });
      stage.later(() => front.end());
      stage.tell(front.host, { server: `https://${front.host}`, authority: tls.path });
      const heal = (): void => stage.tell(front.host, { server: `http://${stage.front.host}` });
      return { image: await pinnedAt(stage, front.host), heal };
    },
  },
  {
    title: "a certificate of an unknown authority",
    ...misconfigured,
    async meet(stage) {
      const { host } = stage.secure;
      const heal = (): void => stage.tell(host, { server: `https://${host}`, authority: stage.authority.path });
      return { image: await pinnedAt(stage, host), heal };
    },
  },
  {
    title: "plain HTTP where TLS is expected",
    ...misconfigured,
    async meet(stage) {
      const { host } = stage.plain;
      return { image: await pinnedAt(stage, host), heal: () => stage.tell(host, { server: `http://${host}` }) };
    },
  },
];

/** An image behind a password; the right one heals it. */
async function guarded(stage: Stage): Promise<Meeting> {
  return {
    image: await pinnedAt(stage, stage.guarded.host),
    declared: { imagePullSecrets: [pullSecretName] },
    heal: ({ putCredentials }) => putCredentials(stage.guarded.credentials()),
  };
}

/** The digest of an image that is pushed when it is healed. */
async function notPushed(
  { front, upstream }: Stage,
  { repositoryThere }: { readonly repositoryThere: boolean },
): Promise<Meeting> {
  const [repository, image] = [freshName("digested"), uniqueImage()];
  if (repositoryThere) await pushUnique(upstream, repository);
  const digest = await pushImage(upstream, freshName("elsewhere"), "1", image);
  const heal = async (): Promise<void> => void (await pushImage(upstream, repository, "1", image));
  return { image: `${front.host}/${repository}@${digest}`, heal };
}
