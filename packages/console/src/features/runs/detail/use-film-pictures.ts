import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { previewFilmQuery } from '../../../lib/data/previews.ts';
import { useText } from '../../../lib/i18n.ts';
import type { RunSource } from '../source/run-source.ts';
import { outputPictures, previewPictures, type TaskPicture } from './film-pictures.ts';

/** The pictures above the time axis: what was stored, and the previews that this page has seen since it was opened. */
export function useFilmPictures({ replayEvents, spanData: { spans }, pictureOf }: RunSource): TaskPicture[] {
  const text = useText('runs');
  const alt = text('timeline.preview');
  const tasks = useMemo(
    () => spans.filter(({ kind, taskId }) => kind === 'task' && taskId !== null),
    [spans],
  );
  const films = useQueries({ queries: tasks.map(({ taskId }) => previewFilmQuery(taskId ?? '')) });
  const outputs = useMemo(
    () => outputPictures(replayEvents, spans, pictureOf),
    [replayEvents, spans, pictureOf],
  );
  const previews = tasks.flatMap((task, place) => previewPictures(task, films[place]?.data ?? [], alt));
  return previews.length === 0 ? outputs : [...previews, ...outputs];
}
