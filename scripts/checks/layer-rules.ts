import { describeOrders, hasPlaceInArea, pointsRight } from './area-order.ts';
import type { ImportStatement, SourceFile } from './source-file.ts';

/**
 * The direction of imports, as ARCHITECTURE.md states it. A file imports from its own folder and from any place to its
 * left; places in one pair of brackets stand side by side and never import each other.
 */
const line: readonly (readonly string[])[] = [
  ['contract'],
  ['lib'],
  ['config'],
  ['platform'],
  ['http'],
  ['accounts'],
  ['agents'],
  ['dispatch', 'conversation'],
  ['channels'],
  ['doors'],
  ['ops'],
  ['context'],
  ['server'],
  ['main'],
];

const consoleOrder = ['lib', 'kit', 'features', 'app'];

/** Which packages a package may import. `server` is where the line above runs; `dev-env` is for tests only. */
const importable: Record<string, readonly string[]> = {
  contract: [],
  client: ['contract'],
  console: ['client', 'contract'],
  server: ['contract'],
  worker: [],
  cli: ['client', 'server', 'worker', 'contract'],
  'dev-env': ['server', 'worker', 'contract'],
};

/** One import with the place that it leads to. */
export interface Edge {
  from: Place;
  /** A file of the repository, or undefined for a package from outside. */
  to: Place | undefined;
  /** The outside package, for example `kysely` or `node:fs`. */
  library: string | undefined;
}

export interface Place {
  path: string;
  package: string;
  /** Below `src`: `platform/database/open.ts`. */
  inside: string;
  /** For the server the folder or root file that the line names; elsewhere the package. */
  layer: string;
}

const mayQuery = /^platform\/database\/|-store\.ts$|(^|\/)tables\.ts$|(^|\/)migrations(\/|\.ts$)/;

interface LayerRule {
  name: string;
  /** The sentence that this rule enforces. */
  sentence: string;
  fix: string;
  /** Tests look at internals (a row, a socket), so the rules about libraries do not apply to them. */
  freesTests: boolean;
  isBroken: (edge: Edge) => boolean;
}

export const layerRules: readonly LayerRule[] = [
  {
    name: 'left-only',
    sentence: `In packages/server/src a file imports from its own folder and from any place to its left: ${describeLine()}.`,
    fix: 'move what both need to the left, or pass it in from context.ts',
    freesTests: false,
    isBroken: ({ from, to }) => withinServer(from, to) && rank(to.layer) > rank(from.layer),
  },
  {
    name: 'areas-apart',
    sentence: 'dispatch and conversation never import each other.',
    fix: 'declare the small function that is needed and let context.ts pass it',
    freesTests: false,
    isBroken: ({ from, to }) =>
      withinServer(from, to) && rank(to.layer) === rank(from.layer) && to.layer !== from.layer,
  },
  {
    name: 'doors-apart',
    sentence: 'Two folders of doors never import each other.',
    fix: 'move what both need to the area that has it, or to http',
    freesTests: true,
    isBroken: ({ from, to }) => {
      if (!withinServer(from, to) || from.layer !== 'doors' || to.layer !== 'doors') return false;
      return folderOf(from.inside) !== folderOf(to.inside);
    },
  },
  {
    name: 'left-inside-an-area',
    sentence: `Inside an area a file imports from its own folder and from folders to its left. ${describeOrders()}.`,
    fix: 'move what both need to a folder to the left, or let the one on the right register itself',
    freesTests: true,
    isBroken: ({ from, to }) => withinServer(from, to) && pointsRight(from.inside, to.inside),
  },
  {
    name: 'console-order',
    sentence:
      'In packages/console/src a file imports from its own folder and from any place to its left: lib → kit → features → app. Features never import each other.',
    fix: 'move what both need into kit or lib, or let app put the two together',
    freesTests: false,
    isBroken: ({ from, to }) => {
      if (from.package !== 'console' || to?.package !== 'console') return false;
      const [fromPlace = '', fromFeature] = from.inside.split('/');
      const [toPlace = '', toFeature] = to.inside.split('/');
      if (fromPlace === 'features' && toPlace === 'features') return fromFeature !== toFeature;
      return consoleOrder.indexOf(toPlace) > consoleOrder.indexOf(fromPlace);
    },
  },
  {
    name: 'packages',
    sentence: `Between packages: ${describePackages()}.`,
    fix: 'import what the table of packages allows, or move the shared part into contract',
    freesTests: false,
    isBroken: ({ from, to }) =>
      to !== undefined &&
      to.package !== from.package &&
      to.package !== 'dev-env' &&
      !importable[from.package]?.includes(to.package),
  },
  {
    name: 'dev-env-in-tests',
    sentence: 'Tests may import dev-env; nothing else may.',
    fix: 'move the helper out of dev-env, or the code that needs it into a test',
    freesTests: true,
    isBroken: ({ from, to }) => to?.package === 'dev-env' && from.package !== 'dev-env',
  },
  {
    name: 'testing-in-tests',
    sentence: 'Tests and dev-env may import packages/server/testing; nothing else may.',
    fix: 'move what runs in the product to src, or the code that needs it into a test',
    freesTests: true,
    isBroken: ({ from, to }) =>
      to?.package === 'server' &&
      to.layer === 'testing' &&
      from.layer !== 'testing' &&
      from.package !== 'dev-env',
  },
  {
    name: 'contract-imports-schemas-only',
    sentence: 'contract imports the schema library (typebox) and nothing else.',
    fix: 'keep contract free of code that runs: move this import to the package that needs it',
    freesTests: true,
    isBroken: ({ from, library }) => from.package === 'contract' && !isLibrary(library, ['typebox']),
  },
  {
    name: 'langchain-below-agents',
    sentence: '@langchain/* stands only below agents.',
    fix: 'declare the shape that is needed here and let agents fulfil it',
    freesTests: true,
    isBroken: ({ from, library }) =>
      library?.startsWith('@langchain/') === true && !isServerFile(from, /^agents\//),
  },
  {
    name: 'fastify-at-the-edge',
    sentence: 'fastify stands only in http, *-routes.ts, push-route.ts and server.ts.',
    fix: 'take plain values here and leave request and reply to the route',
    freesTests: true,
    isBroken: ({ from, library }) =>
      /^(fastify$|fastify-|@fastify\/)/.test(library ?? '') &&
      !isServerFile(from, /^(http\/|server\.ts$)|-routes\.ts$|(^|\/)push-route\.ts$/),
  },
  {
    name: 'query-builder-in-stores',
    sentence:
      'The query builder (kysely) stands only in platform/database, *-store.ts, tables.ts and migrations.',
    fix: 'give the store a function that says what is wanted, and call that',
    freesTests: true,
    isBroken: ({ from, library }) => library === 'kysely' && !isServerFile(from, mayQuery),
  },
  {
    name: 'redis-in-its-place',
    sentence: 'ioredis stands only in platform/redis, bullmq only in platform/offers.',
    fix: 'ask for the connection of platform/redis, or use the ports of platform',
    freesTests: true,
    isBroken: ({ from, library }) =>
      (library === 'ioredis' && !isServerFile(from, /^platform\/redis\//)) ||
      (library === 'bullmq' && !isServerFile(from, /^platform\/offers\//)),
  },
];

export const queryRule = {
  name: 'queries-in-stores',
  sentence:
    'Statements are built only in platform/database, *-store.ts, tables.ts and migrations (tests look at rows).',
  fix: 'give the store a function that says what is wanted, and call that',
  isBroken: (file: SourceFile): boolean => {
    const place = placeOf(file.path);
    return !file.isTest && place?.package === 'server' && !isServerFile(place, mayQuery);
  },
};

export const knownPlaceRule = {
  name: 'known-place',
  sentence: 'Every source file belongs to a package and, in the server, to a place on the line.',
  fix: 'move the file to a place that scripts/checks/layer-rules.ts names, or add the place there with its reason',
  isBroken: (file: SourceFile): boolean => {
    const place = placeOf(file.path);
    if (place === undefined || importable[place.package] === undefined) return true;
    if (place.package !== 'server' || place.layer === 'testing') return false;
    return rank(place.layer) < 0 || !hasPlaceInArea(place.inside);
  },
};

export const resolvableRule = {
  name: 'explicit-path',
  sentence:
    'A relative import names its file with the extension and stays in its package; other packages go by name.',
  fix: "write './name.ts', or '@switchyard/<package>/<path>' for another package",
  isBroken: (from: Place, statement: ImportStatement, to: Place | undefined, exists: boolean): boolean => {
    if (to === undefined) return false;
    const isRelative = statement.specifier.startsWith('.');
    return !exists || isRelative !== (to.package === from.package);
  },
};

export function placeOf(path: string): Place | undefined {
  const match = /^packages\/([^/]+)\/(?:src\/)?(.+)$/.exec(path);
  const [, packageName, inside] = match ?? [];
  if (packageName === undefined || inside === undefined) return undefined;
  const layer = packageName === 'server' ? serverLayer(inside) : packageName;
  return { path, package: packageName, inside, layer };
}

function serverLayer(inside: string): string {
  const [head = '', ...rest] = inside.split('/');
  return rest.length > 0 ? head : head.replace(/(\.test)?\.tsx?$/, '');
}

/** The first two parts of the path: `doors/comfyui`. */
function folderOf(inside: string): string {
  return inside.split('/').slice(0, 2).join('/');
}

function rank(layer: string): number {
  return line.findIndex((places) => places.includes(layer));
}

/** Files in `testing` have no place on the line: they may import from everywhere. */
function withinServer(from: Place, to: Place | undefined): to is Place {
  return from.package === 'server' && to?.package === 'server' && ![from.layer, to.layer].includes('testing');
}

function isServerFile(place: Place, inside: RegExp): boolean {
  return place.package === 'server' && inside.test(place.inside);
}

function isLibrary(library: string | undefined, allowed: readonly string[]): boolean {
  return library === undefined || allowed.includes(library);
}

function describeLine(): string {
  return line.map((places) => (places.length > 1 ? `{ ${places.join(' | ')} }` : places[0])).join(' → ');
}

function describePackages(): string {
  return Object.entries(importable)
    .map(([name, others]) => `${name} → ${others.length > 0 ? others.join(', ') : 'nothing'}`)
    .join('; ');
}
