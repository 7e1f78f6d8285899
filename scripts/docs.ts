/** `npm run docs` writes docs/reference from the sources; `npm run docs -- --check` fails when a page is out of date. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { referencePages } from './docs/pages.ts';

const folder = fileURLToPath(new URL('../docs/reference/', import.meta.url));
const checkOnly = process.argv.includes('--check');

mkdirSync(folder, { recursive: true });
const pages = await referencePages();
const stale = Object.entries(pages).filter(([name, text]) => readOrEmpty(folder + name) !== text);

for (const [name, text] of stale) {
  if (checkOnly) console.error(`docs/reference/${name} is out of date: run npm run docs`);
  else writeFileSync(folder + name, text);
}
if (checkOnly && stale.length > 0) process.exitCode = 1;

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
