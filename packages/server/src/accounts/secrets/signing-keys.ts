import type { KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sleepWithSignal } from '../../lib/async/sleep-with-signal.ts';
import { type Clock, toIso } from '../../lib/clock.ts';
import { newSecret } from '../../lib/ids.ts';
import type { Log } from '../../lib/log.ts';
import { secondMs } from '../../lib/time-units.ts';
import type { Keys } from '../../platform/keys.ts';
import { deriveKey, idOf, onlySecret, parseKeyFile, type SigningSecret } from './key-file.ts';
import { createPrivateFile, readPrivateFile } from './private-file.ts';

/** A process knows of a rotation within this time. A new secret signs later than that. */
const rereadEveryMs = 2 * secondMs;

/** Where the secret comes from, from which every key is derived. */
export interface SecretSource {
  /** `auth.jwt_secret`, which is never rotated while the gateway runs. */
  given: string | null;
  /** `auth.jwt_secret_file`. */
  givenFile: string | null;
  /** The data home, where a generated secret is kept so that sessions outlive a restart. */
  home: string;
}

/** Returns the path of the file with the secrets, unless the configuration has the secret itself. */
export function keyFileOf({ given, givenFile, home }: SecretSource): string | null {
  return given === null ? (givenFile ?? join(home, '.jwt_secret')) : null;
}

/** Returns the text of that file; undefined when there is none. */
export function readKeyFile(source: SecretSource): string | undefined {
  const path = keyFileOf(source);
  if (path === null) return undefined;
  return path === source.givenFile ? readGivenFile(path) : readPrivateFile(path);
}

/** Every key of the gateway. Those of a file are read again while the gateway runs, so that they can be rotated. */
export class SigningKeys {
  readonly #clock: Clock;
  readonly #over = new AbortController();
  /** The oldest comes first. */
  #secrets: readonly Derived[];
  #watching: Promise<void> = Promise.resolve();

  /** Makes the file when there is none. Throws a sentence about a secret that cannot be used. */
  static open(source: SecretSource, { clock, log }: { clock: Clock; log: Log }): SigningKeys {
    const path = keyFileOf(source);
    if (path === null)
      return new SigningKeys(onlySecret(source.given ?? '', 'AUTH_JWT_SECRET (auth.jwt_secret)'), clock);
    if (readKeyFile(source) === undefined) createPrivateFile(path, `${newSecret(48)}\n`);
    const text = readKeyFile(source) ?? '';
    const keys = new SigningKeys(parseKeyFile(text, path), clock);
    keys.#watching = keys.#watch(path, { text, log });
    return keys;
  }

  constructor(secrets: readonly SigningSecret[], clock: Clock) {
    this.#secrets = secrets.map((each) => new Derived(each));
    this.#clock = clock;
  }

  /** Returns the keys for one purpose. */
  for(purpose: string): Keys {
    return {
      signing: () => this.#signing().keyFor(purpose),
      accepted: () => this.#accepted().map((each) => each.keyFor(purpose)),
    };
  }

  async close(): Promise<void> {
    this.#over.abort();
    await this.#watching;
  }

  #accepted(): Derived[] {
    const now = this.#clock();
    return this.#secrets.filter(({ acceptedUntilMs }) => acceptedUntilMs === null || acceptedUntilMs > now);
  }

  /** The newest one that has begun. A clock that was set back may leave none, so the oldest one follows. */
  #signing(): Derived {
    const now = this.#clock();
    const accepted = this.#accepted();
    const signing = accepted.findLast(({ signsFromMs }) => signsFromMs === null || signsFromMs <= now);
    return (signing ?? accepted[0]) as Derived;
  }

  /** A file that cannot be read or used leaves the keys as they are, and is reported once. */
  async #watch(path: string, { text: first, log }: { text: string; log: Log }): Promise<void> {
    const { signal } = this.#over;
    let text = first;
    let fault: string | null = null;
    for (;;) {
      try {
        await sleepWithSignal(rereadEveryMs, { signal });
        const found = await readFile(path, { encoding: 'utf8', signal });
        fault = null;
        if (found === text) continue;
        text = found;
        this.#secrets = parseKeyFile(found, path).map((each) => new Derived(each));
        log.info({ secrets: this.#secrets.map(factsOf) }, 'The secrets that sign were rotated');
      } catch (err) {
        if (signal.aborted) return;
        const says = String(err);
        if (says !== fault)
          log.error({ err }, 'The secrets that sign could not be read again; the former ones stay');
        fault = says;
      }
    }
  }
}

/** A secret with the keys that were derived from it. There are as many as purposes. */
class Derived implements SigningSecret {
  readonly secret;
  readonly signsFromMs;
  readonly acceptedUntilMs;
  readonly #keys = new Map<string, KeyObject>();

  constructor({ secret, signsFromMs, acceptedUntilMs }: SigningSecret) {
    this.secret = secret;
    this.signsFromMs = signsFromMs;
    this.acceptedUntilMs = acceptedUntilMs;
  }

  keyFor(purpose: string): KeyObject {
    const known = this.#keys.get(purpose) ?? deriveKey(this.secret, purpose);
    this.#keys.set(purpose, known);
    return known;
  }
}

/** The facts about a secret that may be shown. */
export function factsOf(secret: SigningSecret) {
  const { signsFromMs, acceptedUntilMs } = secret;
  return {
    id: idOf(secret),
    signsFrom: signsFromMs === null ? null : toIso(signsFromMs),
    acceptedUntil: acceptedUntilMs === null ? null : toIso(acceptedUntilMs),
  };
}

/** A file that the operator puts there may be a link, and belong to somebody else, as those of Kubernetes do. */
function readGivenFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Error(`auth.jwt_secret_file cannot be read (${(error as Error).message}).`, { cause: error });
  }
}
