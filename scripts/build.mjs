/**
 * `npm run build`: bundles the binary and the web console into packages/cli/dist. With `--if-stale` it does nothing while
 * sources, lockfile and Node's major version are those of the last build. With `--weights` it says what the console weighs.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { compareExternals, importedPackages } from './bundle-imports.mjs';
import { externals } from './externals.mjs';
import { thirdPartyNotices } from './third-party-notices.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const cli = join(root, 'packages/cli');
const dist = join(cli, 'dist');
const stampFile = join(dist, 'stamp.json');

const started = performance.now();
const stamp = stampOfSources();
if (process.argv.includes('--if-stale') && isFresh(stamp)) process.exit(0);
await bundle();
console.error(`Built packages/cli/dist in ${((performance.now() - started) / 1000).toFixed(1)} s`);

/** Everything that decides what the bundle contains. */
function stampOfSources() {
  const hash = createHash('sha256');
  const sources = readdirSync(join(root, 'packages'))
    .flatMap((name) => [join(root, 'packages', name, 'src'), join(root, 'packages', name, 'public')])
    .filter((folder) => existsSync(folder))
    .flatMap(filesBelow)
    .filter((file) => !/\.test\.tsx?$/.test(file))
    .sort();
  const settings = [
    'package-lock.json',
    'packages/cli/package.json',
    'packages/console/index.html',
    'packages/console/vite.config.ts',
    'scripts/build.mjs',
    'scripts/build-console.mjs',
    'scripts/console-budget.mjs',
    'scripts/externals.mjs',
    'scripts/third-party-notices.mjs',
  ];
  const plugins = filesBelow(join(root, 'scripts/console')).sort();
  for (const file of [...sources, ...plugins, ...settings.map((name) => join(root, name))]) {
    hash
      .update(`${relative(root, file)}\0`)
      .update(readFileSync(file))
      .update('\0');
  }
  return hash.digest('hex');
}

function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

function isFresh(wanted) {
  try {
    return JSON.parse(readFileSync(stampFile, 'utf8')).stamp === wanted && existsSync(join(dist, 'main.js'));
  } catch {
    return false;
  }
}

/** Builds beside the old bundle and swaps at the end, so that a failed build leaves the old one standing. */
async function bundle() {
  const fresh = join(cli, `.dist-${process.pid}`);
  rmSync(fresh, { recursive: true, force: true });
  try {
    const web = await consoleInto(join(fresh, 'console'));
    const { metafile } = await build({
      entryPoints: [
        { in: join(cli, 'src/main.ts'), out: 'main' },
        // The gateway starts it as a process of its own.
        {
          in: join(root, 'packages/server/src/agents/source-schemas/program/main.ts'),
          out: 'source-schemas-program',
        },
      ],
      entryNames: '[name]',
      outdir: fresh,
      absWorkingDir: root,
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node20.19',
      // Not minified: above each module stands the name of its source, which is enough to find the line of a stack (ADR 0063).
      legalComments: 'linked',
      external: externals.flatMap((name) => [name, `${name}/*`]),
      chunkNames: 'chunks/[name]-[hash]',
      // CommonJS packages inside the bundle call require for Node's own modules.
      banner: {
        js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
      },
      metafile: true,
      logLevel: 'warning',
    });
    const faults = compareExternals(importedPackages(metafile), externals);
    if (faults.length > 0) throw new Error(faults.join('\n'));
    writeFileSync(
      join(fresh, 'THIRD-PARTY-NOTICES.txt'),
      noticesFor([...Object.keys(metafile.inputs), ...web.inputs]),
    );
    writeFileSync(join(fresh, 'stamp.json'), `${JSON.stringify({ stamp })}\n`);
    replaceDist(fresh);
    if (process.argv.includes('--weights')) console.error(web.weights.join('\n'));
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    console.error(error.message);
    process.exit(1);
  }
}

/** Vite is loaded only when something is built, because loading it takes longer than finding out that nothing is stale. */
async function consoleInto(folder) {
  // React has another, larger form for development, and a test that builds says "test" here.
  process.env.NODE_ENV = 'production';
  const { buildConsole } = await import('./build-console.mjs');
  return buildConsole({ root, into: folder });
}

function noticesFor(inputs) {
  const lockfile = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  return thirdPartyNotices({ root, lockfile, inputs });
}

/** A second build that runs at the same time may have put its own, equal, bundle there. */
function replaceDist(fresh) {
  const old = `${fresh}-old`;
  if (existsSync(dist)) renameSync(dist, old);
  try {
    renameSync(fresh, dist);
  } catch (error) {
    if (!isFresh(stamp)) throw error;
    rmSync(fresh, { recursive: true });
  } finally {
    rmSync(old, { recursive: true, force: true });
  }
}
