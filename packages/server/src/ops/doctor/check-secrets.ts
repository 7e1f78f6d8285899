import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { shellWord } from '@switchyard/contract/shell-word';
import { credentialsPath } from '../../accounts/secrets/credentials-file.ts';
import { minSecretLength, parseKeyFile } from '../../accounts/secrets/key-file.ts';
import { keyFileOf } from '../../accounts/secrets/signing-keys.ts';
import type { LoadedConfig } from '../../config/load.ts';
import type { Config } from '../../config/schema.ts';
import { secretSource, sharedHome } from '../options-of-config.ts';
import { isOpenToOthers, sqliteFileOf } from './check-home.ts';
import { type Finding, well, wrong } from './finding.ts';

/** Looks at the secrets of the configuration and at the private files of the data home. It shows no secret and mends nothing. */
export function checkSecrets({ config, file }: Pick<LoadedConfig, 'config' | 'file'>): Finding[] {
  const secrets = configuredSecrets(config);
  const found = [
    ...secrets.filter(({ value }) => isPlaceholder(value)).map(placeholderFinding),
    ...(file === null ? [] : configurationFileFindings(file, secrets)),
    ...signingFileFindings(config),
    ...privateFilesOf(config).flatMap(rightsFindings),
  ];
  if (found.length > 0) return found;
  return [well('secrets', 'No secret is a placeholder, and the files with secrets are private.')];
}

interface Secret {
  key: string;
  value: string;
  /** True for a secret that only the gateway has to know, so any random text will do. */
  isRandom: boolean;
}

function configuredSecrets({ auth, observability, models, database, bus }: Config): Secret[] {
  const all = [
    { key: 'auth.jwt_secret', value: auth.jwt_secret, isRandom: true },
    { key: 'observability.metrics.token', value: observability.metrics.token, isRandom: true },
    { key: 'database.url', value: passwordOf(database.url), isRandom: false },
    { key: 'bus.url', value: passwordOf(bus.url), isRandom: false },
    ...models.map((model) => ({
      key: `models.${model.name}.api_key`,
      value: model.api_key,
      isRandom: false,
    })),
  ];
  return all.flatMap(({ value, ...rest }) => (value === null ? [] : [{ ...rest, value }]));
}

function passwordOf(url: string | null): string | null {
  if (url === null || !URL.canParse(url)) return null;
  const { password } = new URL(url);
  return password === '' ? null : decodeURIComponent(password);
}

const placeholder =
  /change[-_ ]?(me|this)|replace|placeholder|your[-_ ].*(key|secret|token|password)|^<.*>$|\.\.\.$|^x{3,}$|^(secret|password|example|todo)$/i;
/** A random secret of 32 characters has more, in hexadecimal as well. */
const fewestDifferent = 8;

/** Returns whether a text stands where a secret should, such as `change-me` or a row of the same letters. */
function isPlaceholder(text: string): boolean {
  return placeholder.test(text) || (text.length >= minSecretLength && new Set(text).size < fewestDifferent);
}

function placeholderFinding({ key, isRandom }: Secret): Finding {
  const how = isRandom
    ? `openssl rand -base64 48   # and set what it prints as ${key}`
    : `switchyard config show --sources   # says where ${key} is set; put the real secret there`;
  return wrong('secrets', `The secret in ${key} is a placeholder.`, how);
}

function configurationFileFindings(file: string, secrets: readonly Secret[]): Finding[] {
  if (!isOpenToOthers(file, 0o044)) return [];
  const text = readFileSync(file, 'utf8');
  const within = secrets.filter(({ value }) => text.includes(value)).map(({ key }) => key);
  if (within.length === 0) return [];
  const says = `Other users of this machine can read ${file}, which has secrets in it (${within.join(', ')}).`;
  return [wrong('secrets', says, `chmod 600 ${shellWord(file)}`)];
}

function signingFileFindings(config: Config): Finding[] {
  const path = keyFileOf(secretSource(config));
  if (path === null || !existsSync(path)) return [];
  const again = `rm ${shellWord(path)}   # the next start makes a new one; everybody signs in again`;
  const { jwt_secret_file: given } = config.auth;
  if (given === null && !lstatSync(path).isFile())
    return [wrong('secrets', `${path} must be a plain file, and it is something else.`, again)];
  try {
    parseKeyFile(readFileSync(path, 'utf8'), path);
    return [];
  } catch (error) {
    return [wrong('secrets', (error as Error).message, again)];
  }
}

/** The gateway makes these files private. A copy that was put back may not be. */
function privateFilesOf(config: Config): string[] {
  const names = [
    keyFileOf(secretSource(config)),
    credentialsPath(sharedHome(config)),
    sqliteFileOf(config) ?? null,
  ];
  return names.filter((path) => path !== null && existsSync(path)) as string[];
}

function rightsFindings(path: string): Finding[] {
  if (!isOpenToOthers(path, 0o077)) return [];
  const says = `Other users of this machine can read or change ${path}.`;
  return [wrong('secrets', says, `chmod 600 ${shellWord(path)}`)];
}
