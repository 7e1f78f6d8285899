import type { RunEvent } from '@switchyard/contract/conversation/run-event';
import type { FilmPicture } from '../../../kit/timeline/film-strip.ts';
import type { TimelineSpan } from '../../../kit/timeline/span.ts';
import type { FilmShot } from '../../../lib/data/previews.ts';
import { replayTrack } from '../replay/replay-track.ts';

export interface TaskPicture extends FilmPicture {
  taskId: string;
}

/** The finished pictures of a run, each at the moment at which it was stored. */
export function outputPictures(
  events: readonly RunEvent[],
  spans: readonly TimelineSpan[],
  pictureOf: (fileId: string) => string | null,
): TaskPicture[] {
  return replayTrack(events, spans)
    .items.flatMap((item) => (item.type === 'call' ? item.tasks : []))
    .flatMap(({ files, taskId }) => files.map((file) => ({ ...file, taskId })))
    .filter(({ contentType }) => contentType.startsWith('image/'))
    .map(({ fileId, filename, atMs, taskId }) => ({
      id: fileId,
      atMs,
      alt: filename,
      source: pictureOf(fileId),
      taskId,
    }));
}

/**
 * The previews of a task at the moments at which they came to this page. Its clock may differ from that of the gateway, so
 * none stands outside the task.
 */
export function previewPictures(
  { taskId, startMs, endMs }: Pick<TimelineSpan, 'taskId' | 'startMs' | 'endMs'>,
  shots: readonly FilmShot[],
  alt: string,
): TaskPicture[] {
  if (taskId === null) return [];
  return shots.map(({ url, atMs }) => ({
    id: `${taskId} ${atMs}`,
    atMs: Math.min(Math.max(atMs, startMs), endMs ?? Number.POSITIVE_INFINITY),
    alt,
    source: url,
    isPreview: true,
    taskId,
  }));
}
