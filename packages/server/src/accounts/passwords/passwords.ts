import { createHmac } from 'node:crypto';
import type { Fault } from '@switchyard/contract/errors';
import { say, type Wording } from '@switchyard/contract/sentences/sentences';
import bcrypt from 'bcrypt';
import type { Caller } from '../../http/access/caller.ts';
import type { CommonPasswords } from './common-passwords.ts';
import { type HashingLimits, HashingQueue } from './hashing-queue.ts';

/** Says how the rest was computed, so that a later version can verify hashes of this one. */
const version = '$sy1$';

/** Not a secret. It prevents our hashes from being tried against digests that leaked elsewhere. */
const prehashKey = 'switchyard password, version 1';

const maxBytes = 1_024;

export class Passwords {
  readonly #queue: HashingQueue;
  readonly #common: CommonPasswords;
  readonly #cost: number;
  readonly #nobodysHash: string;

  constructor({
    hashing,
    common,
    cost = 12,
  }: {
    hashing: HashingLimits;
    common: CommonPasswords;
    /** The bcrypt cost. Tests lower it. */
    cost?: number | undefined;
  }) {
    this.#queue = new HashingQueue(hashing);
    this.#common = common;
    this.#cost = cost;
    this.#nobodysHash = `${version}$2b$${String(cost).padStart(2, '0')}$${'.'.repeat(22)}${'.'.repeat(31)}`;
  }

  async hash(password: string, caller?: Caller): Promise<string> {
    const compute = async () => version + (await bcrypt.hash(prehash(password), this.#cost));
    return this.#queue.run(compute, caller);
  }

  /** Takes as long for an account that does not exist, or has no password, as for one that does. */
  async verify(password: string, hash: string | null | undefined, caller?: Caller): Promise<boolean> {
    const known = hash?.startsWith(version) ? hash : this.#nobodysHash;
    const compute = () => bcrypt.compare(prehash(password), known.slice(version.length));
    const matches = await this.#queue.run(compute, caller);
    return matches && known === hash;
  }

  /** Returns the faults of a new password. The schema checks its length in characters. */
  faults(password: string, field: string): Fault[] {
    if (Buffer.byteLength(password) > maxBytes) {
      return [fault(field, password, say('password_too_long', { count: maxBytes }))];
    }
    if (this.#common.has(password)) {
      return [fault(field, password, say('password_common'))];
    }
    return [];
  }
}

/** Returns 64 characters for any password: bcrypt would cut at 72 bytes and stop at a NUL. */
function prehash(password: string): string {
  return createHmac('sha384', prehashKey).update(password).digest('base64');
}

function fault(field: string, input: string, message: Wording): Fault {
  return {
    in: 'body',
    path: [field],
    message,
    type: 'value_error',
    input,
    ctx: { error: {} },
  };
}
