import type { FileFilterQuery } from '@switchyard/contract/dispatch/file';
import type { Fault } from '@switchyard/contract/errors';
import { timeInRequest } from '../../http/validation/time-in-request.ts';
import { AppError } from '../../lib/app-error.ts';
import { toIso } from '../../lib/clock.ts';
import type { DispatchOptions } from '../dispatch-parts.ts';
import { wordsOfFilter } from '../graphs/file-words.ts';
import type { FileFilter, SizeBound } from './file-list-store.ts';
import type { NotesFilter } from './kept-file-store.ts';
import type { FilePlace } from './stored-file-store.ts';

export function filterOf(
  query: FileFilterQuery,
  { retentionMs }: Pick<DispatchOptions, 'retentionMs'>,
): FileFilter {
  const { source, kind, taskId, workflowId, workflow, owner, since, until, q, param, model } = query;
  const words = wordsOfFilter({ q, param, model });
  const sizes = sizeBounds.flatMap(({ name, ...bound }): SizeBound[] => {
    const value = query[name];
    return value === undefined ? [] : [{ ...bound, value }];
  });
  const filter = {
    ...notesFilterOf(query, retentionMs),
    source,
    kind,
    taskId,
    workflowId,
    workflow,
    owner,
    since: isoIn('since', since),
    until: isoIn('until', until),
    words: words.length === 0 ? undefined : words,
    sizes: sizes.length === 0 ? undefined : sizes,
  };
  requireOrder(query, filter);
  return filter;
}

const sizeBounds = [
  { name: 'minWidth', of: 'width', compare: '>=' },
  { name: 'maxWidth', of: 'width', compare: '<=' },
  { name: 'minHeight', of: 'height', compare: '>=' },
  { name: 'maxHeight', of: 'height', compare: '<=' },
  { name: 'minPixels', of: 'pixels', compare: '>=' },
  { name: 'maxPixels', of: 'pixels', compare: '<=' },
  { name: 'minBytes', of: 'size', compare: '>=' },
  { name: 'maxBytes', of: 'size', compare: '<=' },
] as const satisfies readonly (Pick<SizeBound, 'of' | 'compare'> & { name: keyof FileFilterQuery })[];

/** A lower bound above its upper one is a mistake: no file would ever fit. */
function requireOrder(query: FileFilterQuery, { since, until }: FileFilter): void {
  const pairs = [
    ['since', 'until', since !== undefined && until !== undefined && since > until],
    ...(['Width', 'Height', 'Pixels', 'Bytes'] as const).map((name) => {
      const [min, max] = [query[`min${name}`], query[`max${name}`]];
      return [`min${name}`, `max${name}`, min !== undefined && max !== undefined && min > max] as const;
    }),
  ] as const;
  const faults = pairs.flatMap(([low, high, isReversed]): Fault[] =>
    isReversed
      ? [{ in: 'query', path: [low], type: 'value_error', message: `It is above ${high}. Swap the two.` }]
      : [],
  );
  if (faults.length > 0) throw new AppError('validation_failed', { faults });
}

function notesFilterOf(
  { starred, tag, collectionId, expiresBefore }: FileFilterQuery,
  retentionMs: number | null,
): NotesFilter {
  return {
    starred,
    tag: tag === undefined ? undefined : tidyTag(tag),
    collectionId,
    unkeptBefore: createdBefore(timeInRequest(['expiresBefore'], expiresBefore), retentionMs),
  };
}

/** Returns the time before which files were stored that are deleted before this one. Without a retention none is. */
function createdBefore(epochMs: number | undefined, retentionMs: number | null): string | undefined {
  if (epochMs === undefined) return undefined;
  return retentionMs === null ? '' : toIso(Math.max(0, epochMs - retentionMs));
}

/** Tags that look alike are the same: lower case, single spaces, composed letters. */
export function tidyTag(tag: string): string {
  return tag.normalize('NFC').trim().replace(/\s+/gu, ' ').toLowerCase();
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
