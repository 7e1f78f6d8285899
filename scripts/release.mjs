/**
 * `npm run release -- 0.2.0` gives everything that version, moves what is unreleased in the changelog below its heading, and makes the
 * files of the release in .build/release: the package, its bill of materials, the OpenAPI file and the checksums of them. Without a
 * version it makes the files of the present one, which is what the workflow of a tag does.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  billOfMaterials,
  checksums,
  dockerfileWithVersion,
  isNewer,
  kustomizationWithVersion,
  releasedChangelog,
  withVersion,
} from './release-files.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const target = join(root, '.build/release');
const manifests = [
  'package.json',
  ...readdirSync(join(root, 'packages')).map((name) => `packages/${name}/package.json`),
];

const [wanted] = process.argv.slice(2);
const present = JSON.parse(read('package.json')).version;
if (wanted !== undefined) prepare(wanted);
makeFiles(wanted ?? present);

function prepare(version) {
  if (!isNewer(version, present))
    fail(`"${version}" is not a version after ${present}. Write it like 0.2.0.`);
  if (run('git', ['status', '--porcelain'], { isQuiet: true }) !== '')
    fail('There are uncommitted changes. Commit them first.');
  for (const file of manifests) write(file, withVersion(read(file), version));
  write('deploy/Dockerfile', dockerfileWithVersion(read('deploy/Dockerfile'), version));
  const kustomization = 'deploy/kubernetes/kustomization.yaml';
  write(kustomization, kustomizationWithVersion(read(kustomization), version));
  run('npm', ['install', '--package-lock-only', '--ignore-scripts']);
  write(
    'CHANGELOG.md',
    releasedChangelog(read('CHANGELOG.md'), version, new Date().toISOString().slice(0, 10)),
  );
  run('npm', ['run', 'docs']);
}

function makeFiles(version) {
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  run('npm', ['run', 'pack', '--', '--to', target]);
  // Installed in an empty folder, and started in an empty home.
  run('npx', ['vitest', 'run', '--project', 'e2e', 'test/e2e/installed-package.test.ts']);
  copyFileSync(join(root, 'docs/reference/openapi.json'), join(target, 'openapi.json'));
  const notices = read('packages/cli/dist/THIRD-PARTY-NOTICES.txt');
  writeFileSync(join(target, 'bom.json'), `${JSON.stringify(billOfMaterials(notices, version), null, 2)}\n`);
  writeFileSync(join(target, 'SHA256SUMS'), checksums(target));
  console.log(`\nThe release ${version} is in .build/release.`);
  if (wanted !== undefined) {
    console.log(
      `Read the changelog, then: git commit -am 'release ${version}' && git tag v${version} && git push --follow-tags`,
    );
  }
}

function run(command, args, { isQuiet = false } = {}) {
  const { status, stdout } = spawnSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', isQuiet ? 'pipe' : 'inherit', 'inherit'],
  });
  if (status !== 0) fail(`${command} ${args.join(' ')} failed.`);
  return stdout?.trim() ?? '';
}

function read(file) {
  return readFileSync(join(root, file), 'utf8');
}

function write(file, text) {
  writeFileSync(join(root, file), text);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
