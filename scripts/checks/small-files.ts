import { dirname } from 'node:path';
import type { Finding } from './finding.ts';
import { resolveImport } from './layers.ts';
import { type CountedFile, findReaders } from './numbers.ts';

export const maxSmallLines = 40;
/** A reader may grow to this size. */
const maxReaderLines = 300;

/** Files that other rules of the house keep apart from their readers: SQL, HTTP, tables and steps of the database. */
const apartByRule = /(-store|-routes|\/tables|\/migrations)\.ts$|\/migrations\//;

interface Exception {
  file: string;
  reason: string;
}

/** Small files with one reader that read better alone. */
const exceptions: readonly Exception[] = [
  {
    file: 'packages/console/src/app/start-queries.ts',
    reason: 'loaded by itself, so that the first question is asked before anything is drawn',
  },
  {
    file: 'packages/console/src/app/texts.tsx',
    reason: 'the page of all parts reads it as well',
  },
  {
    file: 'packages/console/src/kit/copy/copy-dialog.tsx',
    reason: 'loaded by itself, when a browser gives no clipboard',
  },
  {
    file: 'packages/server/src/platform/redis/cluster-claim.ts',
    reason: 'a script of Redis with its answers; its reader opens and closes connections',
  },
  {
    file: 'packages/worker/src/nodes/create-nodes.ts',
    reason: 'each category of nodes is a file',
  },
];

/**
 * Finds files that a reader opens for a few lines which only one neighbour uses. They are a part of that neighbour, as long as
 * it stays short with them and no test reads them alone.
 */
export function findSmallFiles(files: readonly CountedFile[]): Finding[] {
  const product = files.filter(({ isTest }) => !isTest);
  const linesOf = new Map(product.map(({ path, text }) => [path, text.split('\n').length - 1]));
  const tested = readByTests(files);
  const findings: Finding[] = [];
  for (const [path, readers] of findReaders(product)) {
    const [reader] = readers;
    const lines = linesOf.get(path) ?? 0;
    if (reader === undefined || readers.size > 1 || dirname(reader) !== dirname(path)) continue;
    if (lines > maxSmallLines || lines + (linesOf.get(reader) ?? 0) > maxReaderLines) continue;
    if (apartByRule.test(path) || tested.has(path)) continue;
    findings.push({
      file: path,
      line: 0,
      rule: 'worth-a-file',
      found: `${lines} lines that only ${reader} reads`,
      fix: 'move it into its reader, or give the reason in small-files.ts',
    });
  }
  return findings;
}

/** Leaves out the files that may stay, and finds exceptions that no file needs any more. */
export function withoutExceptions(
  findings: readonly Finding[],
  allowed: readonly Exception[] = exceptions,
): Finding[] {
  const files = new Set(findings.map(({ file }) => file));
  const unused = allowed.filter(({ file }) => !files.has(file));
  const free = new Set(allowed.map(({ file }) => file));
  return [
    ...findings.filter(({ file }) => !free.has(file)),
    ...unused.map(({ file }) => ({
      file,
      line: 0,
      rule: 'worth-a-file',
      found: 'an exception that no file needs',
      fix: 'delete it from small-files.ts',
    })),
  ];
}

function readByTests(files: readonly CountedFile[]): Set<string> {
  const tests = files.filter(({ isTest }) => isTest);
  const imported = tests.flatMap(({ path, imports }) =>
    imports.map(({ specifier }) => resolveImport(path, specifier)),
  );
  return new Set(imported.filter((path) => path !== undefined));
}
