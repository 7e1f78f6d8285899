import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { procedures } from './procedures.ts';

it('names every procedure of the sources, each once, for the thread that does them', () => {
  const named = sourcesBelow(join(import.meta.dirname, '..')).flatMap((text) =>
    [...text.matchAll(/new Procedure(?:<[^(]*>)?\(\s*'([^']+)'/g)].map(([, name]) => name),
  );
  expect(named.length).toBeGreaterThan(3);
  expect(procedures.map(({ name }) => name).sort()).toEqual(named.sort());
});

function sourcesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(({ name }) => /\.ts$/.test(name) && !/test|notes-procedures/.test(name))
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'));
}
