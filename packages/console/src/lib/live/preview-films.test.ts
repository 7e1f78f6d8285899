import { QueryClient } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import { keys } from '../data/keys.ts';
import type { FilmShot } from '../data/previews.ts';
import { maxFilms, maxShots, minGapMs, PreviewFilms } from './preview-films.ts';

function newFilms() {
  const time = { ms: 1_000 };
  const cache = new QueryClient();
  const shrink = async (picture: Blob) => (picture.size === 0 ? null : picture);
  const films = new PreviewFilms({ cache, clock: () => time.ms, shrink });
  const see = (taskId: string, content = 'picture') =>
    films.add(taskId, { picture: new Blob([content]), node: '3' });
  const shots = (taskId: string) => cache.getQueryData<FilmShot[]>(keys.previewFilm(taskId));
  return { time, films, see, shots };
}

test('a preview is kept with its moment, and those that follow at once are not', async () => {
  const { time, see, shots } = newFilms();
  await see('t');
  time.ms += minGapMs - 1;
  await see('t');
  time.ms += 1;
  await see('t');
  expect(shots('t')?.map(({ atMs, node }) => [atMs, node])).toEqual([
    [1_000, '3'],
    [1_000 + minGapMs, '3'],
  ]);
});

test('a long film keeps pictures of its whole time, and never more than its limit', async () => {
  const { time, see, shots } = newFilms();
  for (let place = 0; place < 500; place += 1) {
    await see('t');
    time.ms += minGapMs;
  }
  const kept = shots('t') ?? [];
  expect(kept.length).toBeLessThanOrEqual(maxShots);
  expect(kept.length).toBeGreaterThan(maxShots / 4);
  expect(kept[0]?.atMs).toBe(1_000);
  expect(kept.at(-1)?.atMs).toBeGreaterThan(time.ms * 0.9);
});

test('the films of the last tasks are kept, and their memory is given back', async () => {
  const { films, see, shots } = newFilms();
  for (let task = 0; task <= maxFilms; task += 1) await see(`t${task}`);
  expect([shots('t0'), shots('t1')?.length]).toEqual([undefined, 1]);
  const [shot] = shots('t1') ?? [];
  expect((await fetch(shot?.url ?? '')).ok).toBe(true);
  films.close();
  await expect(fetch(shot?.url ?? '')).rejects.toThrow();
  expect(shots('t1')).toBeUndefined();
});

test('a picture that the browser cannot read is left out', async () => {
  const { see, shots } = newFilms();
  await see('t', '');
  expect(shots('t')).toBeUndefined();
});
