import { expect, it } from 'vitest';
import { compareDependencies } from './cli-dependencies.ts';
import { findDoubleNames } from './file-names.ts';
import { findAddresses } from './lockfile.ts';
import { findMachinePaths, machineFolders } from './machine-paths.ts';

it('finds download addresses in a lockfile, and leaves links inside the workspace alone', () => {
  const lines = [
    '{',
    '  "resolved": "packages/cli",',
    '  "resolved": "https://example.test/left-pad-1.0.0.tgz",',
    '  "integrity": "sha512-abc"',
    '}',
  ];
  expect(findAddresses('package-lock.json', lines.join('\n')).map(({ line }) => line)).toEqual([3]);
});

it('finds a registry named in the settings of npm', () => {
  const text = 'save-exact=true\nregistry=http://10.0.0.1:4873\n@scope:registry = x';
  expect(findAddresses('.npmrc', text).map(({ line }) => line)).toEqual([2, 3]);
});

it('finds paths of the machine that wrote them, and leaves others alone', () => {
  const folders = machineFolders('/srv/build/switchyard', '/home/somebody');
  const text = [
    'cd /srv/build/switchyard',
    'see "/home/somebody/notes"',
    'GET /files/srv/build/x',
    'open /home/else/x',
    'packages/server/src/main.ts',
  ].join('\n');
  expect(findMachinePaths('notes.md', text, folders).map(({ line }) => line)).toEqual([1, 2]);
});

it('asks that the binary depends on exactly what its bundle leaves out', () => {
  const found = compareDependencies({ bcrypt: '6.0.0', commander: '14.0.3' }, ['bcrypt', 'sharp']);
  expect(found.map((finding) => finding.found)).toEqual([
    'sharp is external but no dependency',
    'commander is a dependency but bundled',
  ]);
});

it('finds a file name that stands twice among the areas', () => {
  const found = findDoubleNames([
    'packages/server/src/accounts/tables.ts',
    'packages/server/src/dispatch/tables.ts',
    'packages/server/src/accounts/session.ts',
    'packages/server/src/conversation/threads/session.ts',
    'packages/server/src/platform/bus/memory.ts',
    'packages/server/src/platform/counters/memory.ts',
  ]);
  expect(found.map(({ file }) => file)).toEqual(['packages/server/src/conversation/threads/session.ts']);
});
