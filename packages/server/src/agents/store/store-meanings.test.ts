import { expect, it } from 'vitest';
import { maxCompared, StoreMeanings } from './store-meanings.ts';
import { bytesOf, unitVector } from './vector.ts';

const embedder = {
  model: 'm',
  embed: async (texts: readonly string[]) => texts.map(() => unitVector([1, 0])),
};
const vector = bytesOf(unitVector([1, 1]));

it('compares no more vectors than the limit, and asks for a narrower namespace', async () => {
  let pages = 0;
  const page = async ({ limit }: { limit: number }) => {
    pages++;
    return Array.from({ length: limit }, (_, part) => ({
      namespace: 'a',
      key: 'k',
      part,
      vector,
      value: '{}',
    }));
  };
  const meanings = new StoreMeanings({ embedder, fields: ['$'] }, { page: (_owner, asked) => page(asked) });
  const search = { prefix: '', query: 'x', filter: {}, limit: 10, offset: 0, now: '' };

  await expect(meanings.nearest({ user: 'ada' }, search)).rejects.toThrow('name a narrower one');
  expect(pages).toBe(maxCompared / 200);
});

it('counts an item once, by its nearest part', async () => {
  const row = { namespace: 'a', key: 'k', value: '{}' };
  const rows = [
    { ...row, part: 0, vector },
    { ...row, part: 1, vector: bytesOf(unitVector([1, 0])) },
  ];
  const meanings = new StoreMeanings({ embedder, fields: ['$'] }, { page: async () => rows });
  const search = { prefix: '', query: 'x', filter: {}, limit: 10, offset: 0, now: '' };

  expect(await meanings.nearest({ user: 'ada' }, search)).toEqual([{ namespace: 'a', key: 'k', score: 1 }]);
});
