import { isBuiltin } from 'node:module';

/** Bundled packages import these only where they are asked for, or inside a try block: their absence is expected. */
const optional = new Set([
  'pg-native',
  'bufferutil',
  'utf-8-validate',
  'supports-color',
  '@valkey/valkey-glide',
  // Part of Node from 22.5 on; undici asks for it where a cache of answers is wanted, which the gateway has not.
  'node:sqlite',
]);

/** The packages that the bundle still imports at run time, from esbuild's metafile. */
export function importedPackages(metafile) {
  const paths = Object.values(metafile.outputs)
    .flatMap(({ imports }) => imports)
    // `node:` names modules of later versions of Node as well.
    .filter(({ external, path }) => external && !isBuiltin(path) && !path.startsWith('node:'))
    .map(({ path }) => packageOf(path));
  return [...new Set(paths)].filter((name) => !optional.has(name)).sort();
}

/** Every import must be declared, and every declared package must be imported. */
export function compareExternals(imported, externals) {
  const undeclared = imported.filter((name) => !externals.includes(name));
  const unused = externals.filter((name) => !imported.includes(name));
  return [
    ...undeclared.map((name) => `The bundle imports ${name}, which scripts/externals.mjs does not name.`),
    ...unused.map((name) => `scripts/externals.mjs names ${name}, which the bundle does not import.`),
  ];
}

function packageOf(path) {
  return path
    .split('/')
    .slice(0, path.startsWith('@') ? 2 : 1)
    .join('/');
}
