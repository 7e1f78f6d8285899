/** What a release changes and contains, as pure functions over texts. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const shape = /^(\d+)\.(\d+)\.(\d+)$/;

export function isNewer(version, present) {
  const [next, now] = [version, present].map((text) => shape.exec(text)?.slice(1).map(Number));
  if (!next || !now) return false;
  const first = next.findIndex((part, place) => part !== now[place]);
  return first >= 0 && next[first] > now[first];
}

/** Returns the text of a manifest with this version, also where it depends on other packages of the workspace. */
export function withVersion(text, version) {
  const manifest = JSON.parse(text);
  manifest.version = version;
  for (const kind of ['dependencies', 'devDependencies']) {
    for (const name of Object.keys(manifest[kind] ?? {})) {
      if (name.startsWith('@switchyard/')) manifest[kind][name] = version;
    }
  }
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** Returns the text of the Dockerfile that takes the package of this version. */
export function dockerfileWithVersion(text, version) {
  return text.replace(/^ARG VERSION=.*$/m, `ARG VERSION=${version}`);
}

/** Returns the text of the kustomization that takes the image of this version. */
export function kustomizationWithVersion(text, version) {
  return text.replace(/^( *newTag:) .*$/m, `$1 ${version}`);
}

/** Puts the heading of a version between "Unreleased" and what stands below it. */
export function releasedChangelog(text, version, day) {
  const heading = '## Unreleased\n';
  if (!text.includes(heading)) throw new Error('CHANGELOG.md has no heading "## Unreleased".');
  if (/## Unreleased\n\s*(##|$)/.test(text))
    throw new Error('CHANGELOG.md has nothing below "## Unreleased".');
  return text.replace(heading, `${heading}\n## ${version} · ${day}\n`);
}

/**
 * Returns what the package contains or brings, in the form of CycloneDX 1.6. The notices of the build are its source: both have to
 * name the same packages.
 */
export function billOfMaterials(notices, version) {
  const titles = notices.split(`\n\n${'='.repeat(80)}\n\n`).map((part) => part.split('\n', 1)[0] ?? '');
  const components = titles.flatMap((title) => {
    const [, name, number, licence] = /^((?:@[^\s/]+\/)?[^\s/]+) (\d\S*) \((.+)\)$/.exec(title) ?? [];
    return name ? component('library', { name, version: number, licence }) : [];
  });
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: component('application', { name: 'switchyard-gateway', version, licence: 'Apache-2.0' }),
    },
    components,
  };
}

function component(type, { name, version, licence }) {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  return { type, name, version, purl, 'bom-ref': purl, licenses: [{ expression: licence }] };
}

/** Returns a line for each file of the folder, as `sha256sum --check` reads them. */
export function checksums(folder) {
  return readdirSync(folder)
    .sort()
    .map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex')}  ${name}\n`,
    )
    .join('');
}
