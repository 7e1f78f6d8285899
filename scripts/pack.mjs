/**
 * `npm run pack`: makes the package that people install, `switchyard-gateway-<version>.tgz`, in .build/package or in the folder
 * that `--to` names. It prints the path of the file alone, so that a script can go on with it.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const cli = join(root, 'packages/cli');
const { values } = parseArgs({ options: { to: { type: 'string' } } });
const target = resolve(values.to ?? join(root, '.build/package'));
const stage = join(root, '.build/package-files');

// What the build says goes to the standard error output, beside the path on the standard output.
const build = spawnSync(process.execPath, [join(root, 'scripts/build.mjs'), '--if-stale'], {
  stdio: ['ignore', 2, 2],
});
if (build.status !== 0) process.exit(1);
rmSync(stage, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
const ignored = new Set([join(cli, 'dist/stamp.json')]);
for (const name of ['bin', 'dist', 'skills', 'README.md']) {
  cpSync(join(cli, name), join(stage, name), { recursive: true, filter: (path) => !ignored.has(path) });
}
cpSync(join(root, 'LICENSE'), join(stage, 'LICENSE'));
cpSync(join(root, 'examples/workflows'), join(stage, 'examples/workflows'), { recursive: true });
writeFileSync(
  join(stage, 'configuration.schema.json'),
  execFileSync(process.execPath, [join(cli, 'bin/switchyard.mjs'), 'config', 'schema'], { cwd: stage }),
);
writeFileSync(join(stage, 'package.json'), `${JSON.stringify(publishedManifest(), null, 2)}\n`);
const [{ filename }] = JSON.parse(
  execFileSync('npm', ['pack', '--json', '--pack-destination', target], { cwd: stage, encoding: 'utf8' }),
);
console.log(join(target, filename));

/** What only this repository needs of the manifest stays here: the names of workspaces, and the sources as exports. */
function publishedManifest() {
  const {
    private: _,
    devDependencies,
    exports: __,
    files,
    ...manifest
  } = JSON.parse(readFileSync(join(cli, 'package.json'), 'utf8'));
  return {
    ...manifest,
    exports: {
      './package.json': './package.json',
      './configuration.schema.json': './configuration.schema.json',
    },
    files: [...files, 'examples', 'configuration.schema.json'],
  };
}
