import { AppError } from './app-error.ts';

/** The place of a span in a timeline: by start, then by id. */
export interface SpanPlace {
  start: string;
  id: string;
}

function comparePlaces(one: SpanPlace, other: SpanPlace): number {
  if (one.start !== other.start) return one.start < other.start ? -1 : 1;
  if (one.id === other.id) return 0;
  return one.id < other.id ? -1 : 1;
}

/** The first spans after a place, in their order. */
export function firstAfter<Span extends SpanPlace>(
  spans: readonly Span[],
  { after, limit }: { after: SpanPlace | null; limit: number },
): Span[] {
  const left = after ? spans.filter((span) => comparePlaces(span, after) > 0) : [...spans];
  return left.sort(comparePlaces).slice(0, limit);
}

/** A page out of at least one span more than it holds, if there are so many. */
export function pageOf<Span extends SpanPlace>(
  spans: readonly Span[],
  page: { after: SpanPlace | null; limit: number },
): { spans: Span[]; nextCursor: string | null } {
  const first = firstAfter(spans, { ...page, limit: page.limit + 1 });
  const shown = first.slice(0, page.limit);
  const last = shown.at(-1);
  return { spans: shown, nextCursor: first.length > shown.length && last ? cursorAt(last) : null };
}

function cursorAt({ start, id }: SpanPlace): string {
  return opaque([start, id]);
}

/** Null when the query has none. */
export function spanPlaceAt(cursor: string | undefined): SpanPlace | null {
  if (cursor === undefined) return null;
  const [start, id] = partsOf(cursor);
  const isPlace = typeof start === 'string' && isTime.test(start) && typeof id === 'string' && isId.test(id);
  if (!isPlace) {
    throw refusal('cursor', 'Give the cursor of the page before, or leave it out.');
  }
  return { start, id };
}

/** The facts about a timeline that were known when it was read. */
export interface TimelineMark {
  revision: number;
  atMs: number;
}

export function markText({ revision, atMs }: TimelineMark): string {
  return opaque([revision, atMs]);
}

/** Null when the query has none. */
export function markOf(since: string | undefined): TimelineMark | null {
  if (since === undefined) return null;
  const [revision, atMs] = partsOf(since);
  if (!Number.isSafeInteger(revision) || !isEpochMs(atMs)) {
    throw refusal('since', 'Give the mark of an earlier answer, or leave it out.');
  }
  return { revision: revision as number, atMs };
}

/** Rows of nodes are written a few seconds late, and clocks of several processes differ. */
const lateMs = 10_000;

/** Everything that could have been written after a mark happened after this time. */
export function timeBefore({ atMs }: TimelineMark): string {
  return new Date(Math.max(0, atMs - lateMs)).toISOString();
}

const isTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const isId = /^[\x21-\x7e]{1,300}$/;
const maxEpochMs = 8_640_000_000_000_000;

function isEpochMs(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= maxEpochMs;
}

function opaque(parts: readonly unknown[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

function partsOf(text: string): unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    return Array.isArray(parts) ? parts : [];
  } catch {
    return [];
  }
}

function refusal(name: string, message: string): AppError {
  return new AppError('validation_failed', {
    message,
    faults: [{ in: 'query', path: [name], type: 'value_error', message }],
  });
}
