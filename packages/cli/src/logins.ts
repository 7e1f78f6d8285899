import { readdirSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { readPrivateFile, writePrivateFile } from '@switchyard/server/accounts/secrets/private-file';
import type { Environment } from '@switchyard/server/config/env';

/** One gateway as `switchyard login` stores it. */
export interface Login {
  url: string;
  username: string;
  token: string;
  /** The id of the token at the gateway, used to delete it there. */
  tokenId: string;
  expiresAt: string | null;
  signedInAt: string;
}

/** The folder in which programs of this user keep their settings. */
export function loginsFolder({ XDG_CONFIG_HOME, APPDATA, HOME }: Environment): string {
  return join(XDG_CONFIG_HOME || APPDATA || join(HOME || homedir(), '.config'), 'switchyard', 'logins');
}

/** The logins of this user: one file for each gateway, which only the user may read. */
export class Logins {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  pathOf(url: string): string {
    return join(this.#folder, `${encodeURIComponent(url)}.json`);
  }

  find(url: string): Login | undefined {
    return readLogin(this.pathOf(url));
  }

  /** The gateway of the last login, which commands use when nothing else names one. */
  newest(): Login | undefined {
    return this.#names()
      .flatMap((name) => readLogin(join(this.#folder, name)) ?? [])
      .sort((one, other) => other.signedInAt.localeCompare(one.signedInAt))[0];
  }

  save(login: Login): void {
    writePrivateFile(this.pathOf(login.url), `${JSON.stringify(login, null, 2)}\n`);
  }

  remove(url: string): void {
    rmSync(this.pathOf(url), { force: true });
  }

  #names(): string[] {
    try {
      return readdirSync(this.#folder).filter((name) => name.endsWith('.json'));
    } catch {
      return []; // no one has signed in yet
    }
  }
}

function readLogin(path: string): Login | undefined {
  try {
    const login = JSON.parse(readPrivateFile(path) ?? '') as Partial<Login>;
    const isWhole = [login.url, login.token, login.tokenId, login.signedInAt].every(
      (part) => typeof part === 'string',
    );
    return isWhole ? (login as Login) : undefined;
  } catch {
    return undefined; // missing, or not a login file: the next login replaces it
  }
}
