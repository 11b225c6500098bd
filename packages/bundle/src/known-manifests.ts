/** Manifests by the digest of their bytes: what has been read once is not read again, whichever file it comes from. */
import { type Manifest, manifestDigest, parseManifest } from "./manifest.ts";

/** A manifest with the digest of its bytes. */
export interface KnownManifest {
  readonly manifest: Manifest;
  readonly digest: string;
}

/** Of the one in use and the one on its way, each is asked for several times. */
const most = 4;

/** Lives as long as the store whose manifests it knows, or for one check. */
export class KnownManifests {
  readonly #known = new Map<string, Manifest>();

  /** Throws a `BundleError` like `parseManifest`. */
  read(bytes: Uint8Array): KnownManifest {
    const digest = manifestDigest(bytes);
    const known = { manifest: this.#known.get(digest) ?? parseManifest(bytes), digest };
    this.keep(known);
    return known;
  }

  keep({ manifest, digest }: KnownManifest): void {
    this.#known.set(digest, manifest);
    const [oldest] = this.#known.keys();
    if (this.#known.size > most && oldest !== undefined) this.#known.delete(oldest);
  }

  /** Null for one that was not read before, or long ago. */
  find(digest: string): Manifest | null {
    return this.#known.get(digest) ?? null;
  }
}
