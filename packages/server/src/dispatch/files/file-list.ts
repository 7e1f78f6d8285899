import type { FileFilterQuery } from '@switchyard/contract/dispatch/file';
import { timeInRequest } from '../../http/validation/time-in-request.ts';
import { AppError } from '../../lib/app-error.ts';
import { toIso } from '../../lib/clock.ts';
import type { FileFilter, FilePlace } from './stored-file-store.ts';

export function filterOf(query: FileFilterQuery): FileFilter {
  const { source, kind, taskId, workflowId, owner, since, until } = query;
  return {
    source,
    kind,
    taskId,
    workflowId,
    owner,
    since: isoIn('since', since),
    until: isoIn('until', until),
  };
}

function isoIn(name: string, text: string | undefined): string | undefined {
  const epochMs = timeInRequest([name], text);
  return epochMs === undefined ? undefined : toIso(epochMs);
}

/** The cursor of the page that begins after this file. Clients pass it back as it is. */
export function cursorAfter({ createdAt, id }: FilePlace): string {
  return Buffer.from(`${createdAt} ${id}`).toString('base64url');
}

export function placeIn(cursor: string): FilePlace {
  const match = /^(\d{4}-\S{18}Z) (\S{1,64})$/.exec(Buffer.from(cursor, 'base64url').toString());
  const [, createdAt, id] = match ?? [];
  if (createdAt !== undefined && id !== undefined) return { createdAt, id };
  const message = 'This is no cursor of a list of files. Pass nextCursor of the page before.';
  throw new AppError('validation_failed', {
    faults: [{ in: 'query', path: ['cursor'], type: 'value_error', message }],
  });
}
