/**
 * `node scripts/install-package.mjs <folder>`: packs the gateway and installs the file there as a user does, on a machine that has Node
 * and npm and nothing that compiles. The folder has to be outside of this repository, so that no package of the checkout is found.
 * Prints the folder of the installed package.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');

export function installPackage(folder) {
  const pack = [join(root, 'scripts/pack.mjs'), '--to', folder];
  const tarball = execFileSync(process.execPath, pack, { encoding: 'utf8' }).trim();
  const place = join(folder, 'place');
  mkdirSync(place);
  writeFileSync(join(place, 'package.json'), '{"name":"place","private":true}');
  // The settings of this machine's npm count: they say where its packages come from.
  const env = { ...process.env, PATH: nodeAlone(join(folder, 'programs')) };
  execFileSync('npm', ['install', '--no-audit', '--no-fund', tarball], { cwd: place, env, stdio: 'pipe' });
  return join(place, 'node_modules/switchyard-gateway');
}

/** Makes a folder of programs without a compiler, and without Python, which would build native code. */
export function nodeAlone(folder) {
  mkdirSync(folder);
  for (const name of ['node', 'npm']) symlinkSync(join(dirname(process.execPath), name), join(folder, name));
  symlinkSync('/bin/sh', join(folder, 'sh'));
  return folder;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , folder] = process.argv;
  if (folder === undefined) throw new Error('Name the folder: node scripts/install-package.mjs <folder>');
  mkdirSync(folder, { recursive: true });
  console.log(installPackage(resolve(folder)));
}
