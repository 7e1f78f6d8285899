/** Writes the notices of other people's software: what is in the bundle, and what npm installs beside it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const licenceFile = /^(licen[cs]e|copying|notice)/i;
const rule = '='.repeat(80);

/** Standard texts, for packages that hold none. */
const standardTexts = {
  MIT: ['scripts/licences/MIT.txt'],
  'Apache-2.0': ['LICENSE'],
  Unlicense: ['scripts/licences/Unlicense.txt'],
  'LGPL-3.0-or-later': ['scripts/licences/LGPL-3.0.txt', 'scripts/licences/GPL-3.0.txt'],
};

/**
 * Returns the text of THIRD-PARTY-NOTICES.txt. `inputs` are the files in the bundle, `lockfile` is npm's. Throws when the text
 * of a licence is nowhere to be found.
 */
export function thirdPartyNotices({ root, lockfile, inputs }) {
  const { packages } = lockfile;
  const places = new Set([...bundledPlaces(inputs), ...installedPlaces(packages)]);
  const used = new Set();
  const notices = [...places]
    .map((place) => noticeOf(place, { root, entry: packages[place] ?? {}, used }))
    .sort((one, other) => one.title.localeCompare(other.title, 'en'));
  const standard = [...used].sort().map((path) => `${path.split('/').at(-1)}\n\n${read(join(root, path))}`);
  return [introduction, ...notices.map(({ title, text }) => `${title}\n\n${text}`), ...standard]
    .map((part) => part.trim())
    .join(`\n\n${rule}\n\n`)
    .concat('\n');
}

const introduction = `Third-party notices

Switchyard contains the following packages, or npm installs them beside it. The native packages of other platforms are named
as well. sharp loads libvips as a shared library, which is licensed under the GNU Lesser General Public License: you may
replace it by a version of your own, in the folder of the package @img/sharp-libvips-<platform>.`;

/** The folders of the packages whose code is in the bundle. */
function bundledPlaces(inputs) {
  return inputs.flatMap((path) => /^.*node_modules\/(@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
}

/** The folders of everything that a user's `npm install` brings, by the lockfile. */
function installedPlaces(packages) {
  const found = new Set();
  const waiting = ['packages/cli'];
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    const {
      dependencies,
      optionalDependencies,
      peerDependencies,
      peerDependenciesMeta = {},
    } = packages[place];
    const peers = Object.keys(peerDependencies ?? {}).filter((name) => !peerDependenciesMeta[name]?.optional);
    const names = [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers];
    for (const target of names.map((name) => resolved(packages, place, name))) {
      if (target === undefined || found.has(target)) continue;
      found.add(target);
      waiting.push(target);
    }
  }
  return found;
}

/** Looks for a package where Node does: beside its user, then further up. Undefined for an optional one that is not there. */
function resolved(packages, place, name) {
  for (let folder = place; ; folder = folder.slice(0, Math.max(folder.lastIndexOf('/'), 0))) {
    const target = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (packages[target]) return target;
    if (folder === '') return undefined;
  }
}

function noticeOf(place, { root, entry, used }) {
  const folder = join(root, place);
  const isHere = existsSync(folder);
  const description = isHere ? JSON.parse(read(join(folder, 'package.json'))) : {};
  const name = place.split('node_modules/').at(-1);
  const version = entry.version ?? description.version;
  const licence = entry.license ?? description.license;
  const title = `${name} ${version} (${licence})`;
  if (!isHere) return { title, text: elsewhere };
  const own = readdirSync(folder).filter((file) => licenceFile.test(file));
  if (own.length > 0) return { title, text: own.map((file) => read(join(folder, file))).join('\n\n') };
  for (const path of standardTextsOf(title, licence)) used.add(path);
  const readme =
    /LGPL/.test(licence) && existsSync(join(folder, 'README.md')) && read(join(folder, 'README.md'));
  const author = typeof description.author === 'string' ? description.author : description.author?.name;
  return { title, text: [author && `Author: ${author}`, atTheEnd, readme].filter(Boolean).join('\n\n') };
}

const elsewhere =
  'npm installs it on other platforms than that of this build, with the text of its licence or the name of it.';
const atTheEnd =
  'The package holds no text of its licence. The standard text stands at the end of this file.';

function standardTextsOf(title, licence) {
  const names = String(licence)
    .split(/\s+(?:AND|OR)\s+|[()]/)
    .filter((name) => name !== '');
  const missing = names.filter((name) => !standardTexts[name]);
  if (names.length === 0 || missing.length > 0) {
    throw new Error(
      `${title} holds no text of its licence: add the text to scripts/licences and its name to scripts/third-party-notices.mjs`,
    );
  }
  return names.flatMap((name) => standardTexts[name]);
}

function read(path) {
  return readFileSync(path, 'utf8');
}
