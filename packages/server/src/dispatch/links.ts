import type { KeyObject } from 'node:crypto';
import type { Clock } from '../lib/clock.ts';
import type { Owner } from '../lib/owner.ts';
import { isLinkValid, signLink } from '../platform/files/signed-url.ts';

/** Who reads, and where they reached the gateway: links in the answer point there. */
export interface Reader {
  owner: Owner;
  /** `https://host:port`; absent for inner callers and pushes. */
  origin?: string | undefined;
}

interface LinksOptions {
  key: KeyObject;
  clock: Clock;
  /** `server.public_url`; wins over everything. */
  publicUrl: string | null;
  /** Where the gateway listens, known once it does. */
  listeningUrl: () => string;
}

const lifetimeMs = 24 * 60 * 60 * 1000;

/** Addresses of stored files that can be loaded without credentials for a day. */
export class Links {
  readonly #options: LinksOptions;

  constructor(options: LinksOptions) {
    this.#options = options;
  }

  to({ fileId, filename }: { fileId: string; filename: string }, origin?: string): string {
    const { key, clock } = this.#options;
    const { expires, sig } = signLink(key, fileId, { nowMs: clock(), lifetimeMs });
    return `${this.lasting({ fileId, filename }, origin)}?expires=${expires}&sig=${sig}`;
  }

  /** The address without a signature: good as long as the file is there, for who signs in as its owner. */
  lasting({ fileId, filename }: { fileId: string; filename: string }, origin?: string): string {
    const { publicUrl, listeningUrl } = this.#options;
    const base = (publicUrl ?? origin ?? listeningUrl()).replace(/\/$/, '');
    return `${base}/uploads/${fileId}/${encodeURIComponent(filename)}`;
  }

  isValid(
    fileId: string,
    { expires, sig }: { expires?: string | undefined; sig?: string | undefined },
  ): boolean {
    if (expires === undefined || sig === undefined) return false;
    return isLinkValid(this.#options.key, fileId, { expires, sig, nowMs: this.#options.clock() });
  }
}
