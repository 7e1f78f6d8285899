import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { referencePages } from './pages.ts';

const folder = fileURLToPath(new URL('../../docs/reference/', import.meta.url));

it('docs/reference matches the sources; npm run docs writes it again', async () => {
  for (const [name, text] of Object.entries(await referencePages())) {
    expect(readFileSync(folder + name, 'utf8'), name).toBe(text);
  }
});
