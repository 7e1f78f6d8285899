import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import {
  billOfMaterials,
  dockerfileWithVersion,
  isNewer,
  kustomizationWithVersion,
  releasedChangelog,
  withVersion,
} from './release-files.mjs';
import { thirdPartyNotices } from './third-party-notices.mjs';

const root = resolve(import.meta.dirname, '..');
const read = (file: string): string => readFileSync(`${root}/${file}`, 'utf8');

it('everything has one version', () => {
  const { version } = JSON.parse(read('package.json'));
  for (const name of readdirSync(`${root}/packages`)) {
    const file = `packages/${name}/package.json`;
    expect(JSON.parse(withVersion(read(file), version)), file).toEqual(JSON.parse(read(file)));
  }
  const dockerfile = read('deploy/Dockerfile');
  expect(dockerfileWithVersion(dockerfile, '9.9.9')).not.toBe(dockerfile);
  expect(dockerfileWithVersion(dockerfile, version)).toBe(dockerfile);
  const kustomization = read('deploy/kubernetes/kustomization.yaml');
  expect(kustomizationWithVersion(kustomization, '9.9.9')).toContain('newTag: 9.9.9\n');
  expect(kustomizationWithVersion(kustomization, version)).toBe(kustomization);
});

it('a release is a later version in three numbers', () => {
  expect(['0.1.1', '0.2.0', '1.0.0', '0.10.0'].map((version) => isNewer(version, '0.1.0'))).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect(['0.1.0', '0.0.9', 'v0.2.0', '0.2', '0.2.0-rc.1'].some((version) => isNewer(version, '0.1.0'))).toBe(
    false,
  );
});

it('what was unreleased stands below the heading of the release', () => {
  const text = '# Changes\n\n## Unreleased\n\n* One thing.\n\n## 0.1.0 · 2026-01-01\n';
  expect(releasedChangelog(text, '0.2.0', '2026-12-01')).toBe(
    '# Changes\n\n## Unreleased\n\n## 0.2.0 · 2026-12-01\n\n* One thing.\n\n## 0.1.0 · 2026-01-01\n',
  );
  expect(() => releasedChangelog('## Unreleased\n\n## 0.1.0\n', '0.2.0', '2026-12-01')).toThrow(
    'nothing below',
  );
});

it('the bill of materials names what the notices name', () => {
  const lockfile = JSON.parse(read('package-lock.json'));
  const notices = thirdPartyNotices({ root, lockfile, inputs: ['node_modules/fastify/lib/server.js'] });
  const { components } = billOfMaterials(notices, '0.2.0');
  const { version } = lockfile.packages['node_modules/@langchain/core'];
  expect(components).toContainEqual({
    type: 'library',
    name: '@langchain/core',
    version,
    purl: `pkg:npm/%40langchain/core@${version}`,
    'bom-ref': `pkg:npm/%40langchain/core@${version}`,
    licenses: [{ expression: 'MIT' }],
  });
  expect(components.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['fastify', 'sharp', 'langsmith']),
  );
  // Besides packages there are the introduction, and standard texts by the names of their files.
  const others = /^(Third-party notices|LICENSE|[\w.-]+\.txt)$/;
  const titles = notices.split(/\n\n={80}\n\n/).map((part) => part.split('\n', 1)[0] ?? '');
  expect(components).toHaveLength(titles.filter((title) => !others.test(title)).length);
});
