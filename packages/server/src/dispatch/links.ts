import type { Clock } from '../lib/clock.ts';
import type { Owner } from '../lib/owner.ts';
import { dayMs } from '../lib/time-units.ts';
import { isLinkValid, signLink } from '../platform/files/signed-url.ts';
import type { Keys } from '../platform/keys.ts';

/** The client that reads, and the address where it reached the gateway: links in the answer point there. */
export interface Reader {
  owner: Owner;
  /** `https://host:port`; absent for callers inside the gateway and for pushes. */
  origin?: string | undefined;
}

const lifetimeMs = dayMs;

/**
 * Addresses of stored files. They can be loaded without credentials for a day, and by their owner as long as the file
 * exists.
 */
export class Links {
  readonly #options;

  constructor(options: {
    keys: Keys;
    clock: Clock;
    /** `server.public_url`; wins over everything. */
    publicUrl: string | null;
    /** The address where the gateway listens, known once it does. */
    listeningUrl: () => string;
  }) {
    this.#options = options;
  }

  to({ fileId, filename }: { fileId: string; filename: string }, origin?: string): string {
    const { keys, clock } = this.#options;
    const { expires, sig } = signLink(keys.signing(), fileId, { nowMs: clock(), lifetimeMs });
    return `${this.withoutSignature({ fileId, filename }, origin)}?expires=${expires}&sig=${sig}`;
  }

  /** For readers who may read the file only for as long as its owner wants: their credentials decide at every request. */
  withoutSignature({ fileId, filename }: { fileId: string; filename: string }, origin?: string): string {
    return `${this.#base(origin)}/uploads/${fileId}/${encodeURIComponent(filename)}`;
  }

  #base(origin: string | undefined): string {
    const { publicUrl, listeningUrl } = this.#options;
    return (publicUrl ?? origin ?? listeningUrl()).replace(/\/$/, '');
  }

  isValid(
    fileId: string,
    { expires, sig }: { expires?: string | undefined; sig?: string | undefined },
  ): boolean {
    if (expires === undefined || sig === undefined) return false;
    const { keys, clock } = this.#options;
    return keys.accepted().some((key) => isLinkValid(key, fileId, { expires, sig, nowMs: clock() }));
  }
}
