import { describe, expect, it } from 'vitest';
import { History, type HistoryEntry } from './history.ts';

const entry = (number: number, filler = ''): HistoryEntry => ({
  prompt: [number, 'id', {}, { filler }, []],
  outputs: {},
  status: { status_str: 'success', completed: true, messages: [] },
  meta: {},
});

const roomy = { maxHistoryEntries: 3, maxHistoryBytes: 10_000 };
const ids = (history: History) => Object.keys(history.list({ maxItems: undefined, offset: undefined }));

describe('History', () => {
  it('drops the oldest entry above its number of entries', () => {
    const history = new History(roomy);
    for (const id of ['a', 'b', 'c', 'd']) history.add(id, entry(1));
    expect(ids(history)).toEqual(['b', 'c', 'd']);
  });

  it('drops the oldest entry above its size in bytes, but keeps the newest whatever its size', () => {
    const history = new History(roomy);
    history.add('a', entry(1, 'x'.repeat(6000)));
    history.add('b', entry(1, 'x'.repeat(6000)));
    expect(ids(history)).toEqual(['b']);
    history.add('c', entry(1, 'x'.repeat(60_000)));
    expect(ids(history)).toEqual(['c']);
    history.add('d', entry(1));
    expect(ids(history)).toEqual(['d']);
  });

  it('keeps only the last entry of an id, as the newest', () => {
    const history = new History(roomy);
    history.add('a', entry(1));
    history.add('b', entry(2));
    history.add('a', entry(3));
    expect(ids(history)).toEqual(['b', 'a']);
    expect(history.get('a').a?.prompt[0]).toBe(3);
  });

  it('treats an id that is the name of an object property as unknown', () => {
    expect(new History(roomy).get('__proto__')).toEqual({});
    expect(new History(roomy).get('constructor')).toEqual({});
  });
});
