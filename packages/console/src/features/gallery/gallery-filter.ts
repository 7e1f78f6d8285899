import type { FileFilterQuery, FileKind } from '@switchyard/contract/dispatch/file';
import { wordsIn } from '../../lib/file-question.ts';

/** The filters of the gallery, as the address has them. */
export interface GalleryFilter {
  kind: FileKind | 'all';
  source: 'output' | 'upload' | 'all';
  workflow: string | null;
  task: string | null;
  owner: string | null;
  /** Days as `2026-11-22`, in the time zone of the browser. */
  from: string | null;
  to: string | null;
  kept: 'starred' | 'soon' | null;
  tag: string | null;
  /** A model by the name of its file. */
  model: string | null;
  /** Words, and beside them `name=value` and `model:name`, as they were typed. */
  q: string | null;
  /** Megapixels, at least. */
  size: (typeof sizes)[number] | null;
}

export const sizes = ['1', '2', '4', '8'] as const;

export const filterNames = [
  'kind',
  'source',
  'workflow',
  'task',
  'owner',
  'from',
  'to',
  'kept',
  'tag',
  'model',
  'q',
  'size',
] as const;

const kinds: readonly string[] = ['image', 'video', 'audio', 'text', 'other', 'all'];
const sources: readonly string[] = ['output', 'upload', 'all'];

/** Pictures that workers made, unless the address has other filters. */
export function readFilter(search: string): GalleryFilter {
  const given = new URLSearchParams(search);
  const kind = given.get('kind') ?? '';
  const source = given.get('source') ?? '';
  const kept = given.get('kept');
  return {
    kind: kinds.includes(kind) ? (kind as GalleryFilter['kind']) : 'image',
    source: sources.includes(source) ? (source as GalleryFilter['source']) : 'output',
    workflow: given.get('workflow'),
    task: given.get('task'),
    owner: given.get('owner'),
    from: dayOf(given.get('from')),
    to: dayOf(given.get('to')),
    kept: kept === 'starred' || kept === 'soon' ? kept : null,
    tag: given.get('tag'),
    model: given.get('model') || null,
    q: given.get('q'),
    size: sizes.find((size) => size === given.get('size')) ?? null,
  };
}

export function isFiltered(filter: GalleryFilter): boolean {
  return countSet(filter) > 0;
}

/** Returns how many filters are not those of a new visit. */
export function countSet({ kind, source, ...others }: GalleryFilter): number {
  const set = [
    kind !== 'image',
    source !== 'output',
    ...Object.values(others).map((value) => value !== null),
  ];
  return set.filter(Boolean).length;
}

/** The question to the gateway; the last day counts to its end. */
export function queryOf(filter: GalleryFilter): FileFilterQuery {
  const { kind, source, workflow, task, owner, from, to, kept, tag, model, q, size } = filter;
  return {
    ...(kind !== 'all' && { kind }),
    ...(source !== 'all' && { source }),
    ...(workflow !== null && { workflowId: workflow }),
    ...(task !== null && { taskId: task }),
    ...(owner !== null && { owner }),
    ...(from !== null && { since: startOfDay(from).toISOString() }),
    ...(kept === 'starred' && { starred: true }),
    // From midnight, so that the question is the same for a day.
    ...(kept === 'soon' && { expiresBefore: new Date(new Date().setHours(24 * 7, 0, 0, 0)).toISOString() }),
    ...(tag !== null && { tag }),
    ...(q !== null && wordsIn(q)),
    ...(model !== null && { model }),
    ...(size !== null && { minPixels: Number(size) * 1_000_000 }),
    ...(to !== null && { until: new Date(nextDay(to).getTime() - 1).toISOString() }),
  };
}

function dayOf(text: string | null): string | null {
  return text !== null && /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(startOfDay(text).getTime())
    ? text
    : null;
}

function startOfDay(day: string): Date {
  return new Date(`${day}T00:00:00`);
}

/** A day of a change of the clocks is not 24 hours long. */
function nextDay(day: string): Date {
  const next = startOfDay(day);
  next.setDate(next.getDate() + 1);
  return next;
}
