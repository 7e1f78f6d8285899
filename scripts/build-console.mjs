/** Builds the web console into a folder, and a compressed form beside each file that is worth it. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'vite';
import { weighConsole } from './console-budget.mjs';

const compressible = new Set(['.css', '.html', '.js', '.svg']);

/**
 * Returns the files that the console was made of, by their paths from the root, and what its parts weigh. Throws when one
 * weighs more than it may.
 */
export async function buildConsole({ root, into }) {
  const inputs = new Set();
  await build({
    root: join(root, 'packages/console'),
    logLevel: 'warn',
    build: { outDir: into, emptyOutDir: true },
    plugins: [rememberInputs(root, inputs)],
  });
  compressFiles(into);
  const manifest = JSON.parse(readFileSync(join(into, '.vite/manifest.json'), 'utf8'));
  rmSync(join(into, '.vite'), { recursive: true });
  const { lines, faults } = weighConsole(into, manifest);
  if (faults.length > 0) throw new Error(`The console has grown beyond its budget:\n${faults.join('\n')}`);
  return { inputs: [...inputs].sort(), weights: lines };
}

function rememberInputs(root, inputs) {
  return {
    name: 'remember-inputs',
    moduleParsed({ id }) {
      if (!id.startsWith('\0')) inputs.add(relative(root, id.split('?')[0]));
    },
  };
}

function compressFiles(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile() || !compressible.has(extname(entry.name))) continue;
    const file = join(entry.parentPath, entry.name);
    const text = readFileSync(file);
    writeFileSync(
      `${file}.br`,
      brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
    );
    writeFileSync(`${file}.gz`, gzipSync(text, { level: constants.Z_BEST_COMPRESSION }));
  }
}
