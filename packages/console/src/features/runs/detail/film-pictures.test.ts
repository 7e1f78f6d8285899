import { expect, it } from 'vitest';
import { previewPictures } from './film-pictures.ts';

const shot = (atMs: number) => ({ url: `blob:${atMs}`, atMs, node: null });

it('places previews at their moments, and none outside its task', () => {
  const task = { taskId: 't', startMs: 1_000, endMs: 5_000 };
  const pictures = previewPictures(task, [shot(400), shot(2_000), shot(9_000)], 'Preview');
  expect(pictures.map(({ atMs, source, isPreview }) => [atMs, source, isPreview])).toEqual([
    [1_000, 'blob:400', true],
    [2_000, 'blob:2000', true],
    [5_000, 'blob:9000', true],
  ]);
  expect(new Set(pictures.map(({ id }) => id)).size).toBe(3);
});

it('lets the previews of a task that goes on stand where they came', () => {
  const [picture] = previewPictures({ taskId: 't', startMs: 0, endMs: null }, [shot(9_000)], 'Preview');
  expect(picture?.atMs).toBe(9_000);
});
