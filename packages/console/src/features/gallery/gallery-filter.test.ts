import { expect, it } from 'vitest';
import { isFiltered, queryOf, readFilter } from './gallery-filter.ts';

it('shows pictures that workers made unless the address says otherwise', () => {
  const filter = readFilter('');
  expect(queryOf(filter)).toEqual({ kind: 'image', source: 'output' });
  expect(isFiltered(filter)).toBe(false);
});

it('reads every filter from the address, and the last day to its end', () => {
  const filter = readFilter(
    '?kind=all&source=upload&workflow=w1&task=t1&owner=u1&from=2026-11-20&to=2026-11-22',
  );
  expect(queryOf(filter)).toEqual({
    source: 'upload',
    workflowId: 'w1',
    taskId: 't1',
    owner: 'u1',
    since: new Date('2026-11-20T00:00:00').toISOString(),
    until: new Date('2026-11-22T23:59:59.999').toISOString(),
  });
  expect(isFiltered(filter)).toBe(true);
});

it('passes over what it does not know', () => {
  expect(queryOf(readFilter('?kind=poem&source=thin-air&from=yesterday&to=2026-99-99'))).toEqual({
    kind: 'image',
    source: 'output',
  });
});

it('asks for values and a model that stand among the words', () => {
  const asked = (q: string) => {
    const {
      kind: _kind,
      source: _source,
      ...rest
    } = queryOf(readFilter(`?${new URLSearchParams({ q, size: '4' })}`));
    return rest;
  };
  expect(asked('red kite seed=42 model:flux')).toEqual({
    q: 'red kite',
    param: ['seed=42'],
    model: 'flux',
    minPixels: 4_000_000,
  });
  expect(queryOf(readFilter('?model=flux1.safetensors&q=model:other')).model).toBe('flux1.safetensors');
  for (const q of ['!?', '=', 'model:']) expect(asked(q)).toEqual({ minPixels: 4_000_000 });
});
