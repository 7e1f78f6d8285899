import { expect, test } from 'vitest';
import type { BrowserStorage } from '../../../lib/browser-storage.ts';
import { DraftStore } from './draft-store.ts';

function memory(): BrowserStorage & { size: number } {
  const kept = new Map<string, string>();
  return {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
    get size() {
      return kept.size;
    },
  };
}

const draft = { text: 'Make it dar', files: ['cat.png'] };

test('a draft is there again after a reload, for its thread and its account alone', () => {
  const storage = memory();
  new DraftStore(storage, 'ada').write('t1', draft);
  expect(new DraftStore(storage, 'ada').read('t1')).toEqual(draft);
  expect(new DraftStore(storage, 'ada').read('t2')).toEqual({ text: '', files: [] });
  expect(new DraftStore(storage, 'bob').read('t1')).toEqual({ text: '', files: [] });
});

test('a message that was sent leaves nothing behind', () => {
  const storage = memory();
  const drafts = new DraftStore(storage, 'ada');
  drafts.write('t1', draft);
  drafts.write('t1', { text: '', files: [] });
  expect(storage.size).toBe(0);
});

test('the 50 drafts that were changed last are kept', () => {
  const drafts = new DraftStore(memory(), 'ada');
  for (let number = 0; number <= 50; number += 1) drafts.write(`t${number}`, draft);
  expect(drafts.read('t0').text).toBe('');
  expect(drafts.read('t50')).toEqual(draft);
});

test('something else in its place does not stop the page', () => {
  const odd = { ...memory(), getItem: () => '{{' };
  expect(new DraftStore(odd, 'ada').read('t1').text).toBe('');
});
