import type { Finding } from './finding.ts';
import { resolveImport } from './layers.ts';
import type { SourceFile } from './source-file.ts';

/** What the product starts with, and what other programs import from it. */
const entryPoints = [
  /^packages\/(cli|worker)\/src\/main\.ts$/,
  /^packages\/console\/src\/app\/main\.ts$/,
  // A program of its own that the server starts.
  /^packages\/server\/src\/agents\/source-schemas\/program\/main\.ts$/,
  /^packages\/(client|contract|dev-env)\/src\//,
];

/** `src` holds what runs: every file in it is reached from an entry point. Suites, fixtures and doubles stand elsewhere. */
export function findUnreachable(files: readonly SourceFile[]): Finding[] {
  const product = new Map(files.filter(({ isTest }) => !isTest).map((file) => [file.path, file]));
  const reached = new Set<string>();
  const waiting = [...product.keys()].filter((path) => entryPoints.some((entry) => entry.test(path)));
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const file = product.get(path);
    if (!file || reached.has(path)) continue;
    reached.add(path);
    // What only the fixture of tests imports is not reached by the product.
    if (path.startsWith('packages/dev-env/')) continue;
    for (const { specifier } of file.imports) {
      const target = resolveImport(path, specifier);
      if (target !== undefined) waiting.push(target);
    }
  }
  return [...product.keys()]
    .filter((path) => !reached.has(path))
    .map((path) => ({
      file: path,
      line: 0,
      rule: 'reached',
      found: 'no entry point reaches this file',
      fix: 'use it, delete it, or move it to packages/server/testing when only tests use it',
    }));
}
