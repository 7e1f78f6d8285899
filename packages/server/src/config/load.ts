import { existsSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { type Environment, readEnvironment } from './env.ts';
import { ConfigError, type ConfigFault, type Source } from './faults.ts';
import type { FlagName } from './fields.ts';
import { fields } from './keys.ts';
import { readConfigFile } from './read.ts';
import { type Entry, resolveConfig } from './resolve.ts';
import { checkRules } from './rules.ts';
import type { Config } from './schema.ts';

/** Options of the command line, as the user typed them. */
export type Flags = { [Name in FlagName | 'config']?: string | undefined };

export interface LoadedConfig {
  config: Config;
  /** The origin of each key's value. */
  sources: ReadonlyMap<string, Source>;
  /** The absolute path of the file that was read; null if there was none. */
  file: string | null;
}

/** Takes flags first, then environment, then file, then defaults. Throws a ConfigError that lists every fault. */
export function loadConfig(given: { flags?: Flags; env: Environment; cwd: string }): LoadedConfig {
  const { flags = {}, env, cwd } = given;
  const file = findFile(flags, env, cwd);
  const fromFile = file ? readConfigFile(file, displayPath(file, cwd)) : { entries: [], faults: [] };
  const fromEnv = readEnvironment(env);
  const entries = [...readFlags(flags), ...fromEnv.entries, ...fromFile.entries];
  const { config, sources, faults: valueFaults } = resolveConfig(entries, { env, cwd });
  const faults: ConfigFault[] = [...fromFile.faults, ...fromEnv.faults, ...valueFaults];
  faults.push(...checkRules(config, sources, new Set(faults.map(({ key }) => key))));
  if (faults.length > 0) throw new ConfigError(faults);
  return { config, sources, file };
}

/** A file that the user named must exist. Otherwise `switchyard.yaml` in the working directory is read if it exists. */
function findFile(flags: Flags, env: Environment, cwd: string): string | null {
  const named = flags.config || env.SWITCHYARD_CONFIG;
  if (named) return resolve(cwd, named);
  const usual = resolve(cwd, 'switchyard.yaml');
  return existsSync(usual) ? usual : null;
}

function readFlags(flags: Flags): Entry[] {
  return [...fields].flatMap(([key, field]): Entry[] => {
    const name = field['x-flag'];
    const data = name && flags[name];
    return data ? [{ key, source: { kind: 'flag', name: `--${name}` }, data, isText: true }] : [];
  });
}

function displayPath(file: string, cwd: string): string {
  const short = relative(cwd, file);
  return short.startsWith('..') ? file : short;
}
