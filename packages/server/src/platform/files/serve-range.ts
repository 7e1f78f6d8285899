/** The headers of a request for a file that decide how much of it is sent. */
export interface RangeRequest {
  range?: string | undefined;
  ifRange?: string | undefined;
  ifNoneMatch?: string | undefined;
}

/** The bytes to send. `start` and `end` are inclusive, as in the header. */
export type RangeAnswer =
  | { status: 200 }
  | { status: 206; start: number; end: number; contentRange: string }
  | { status: 304 }
  | { status: 416; contentRange: string };

/**
 * Implements RFC 9110, sections 13 and 14, for a file that never changes under its `etag` (strong, with its quotes).
 * One range is served. Several ranges, or a header that is not understood, get the whole file, as the RFC allows.
 * If-Range with a date gets the whole file too, because content addresses are the only validator here.
 */
export function answerRange(request: RangeRequest, file: { etag: string; sizeBytes: number }): RangeAnswer {
  const { etag, sizeBytes } = file;
  if (request.ifNoneMatch !== undefined && matchesWeakly(request.ifNoneMatch, etag)) return { status: 304 };
  if (request.range === undefined) return { status: 200 };
  if (request.ifRange !== undefined && request.ifRange.trim() !== etag) return { status: 200 };
  const range = parseRange(request.range, sizeBytes);
  if (range === 'whole') return { status: 200 };
  if (range === 'unsatisfiable') return { status: 416, contentRange: `bytes */${sizeBytes}` };
  return { status: 206, ...range, contentRange: `bytes ${range.start}-${range.end}/${sizeBytes}` };
}

function matchesWeakly(header: string, etag: string): boolean {
  if (header.trim() === '*') return true;
  return header.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === etag);
}

function parseRange(
  header: string,
  sizeBytes: number,
): { start: number; end: number } | 'whole' | 'unsatisfiable' {
  const match = /^bytes=[ \t]*(\d{0,15})-(\d{0,15})[ \t]*$/i.exec(header.trim());
  if (!match) return 'whole';
  const [, first = '', last = ''] = match;
  if (first === '' && last === '') return 'whole';
  if (first === '') return suffix(Number(last), sizeBytes);
  const start = Number(first);
  const end = last === '' ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1);
  if (last !== '' && Number(last) < start) return 'whole';
  return start < sizeBytes ? { start, end } : 'unsatisfiable';
}

function suffix(lengthBytes: number, sizeBytes: number): { start: number; end: number } | 'unsatisfiable' {
  if (lengthBytes === 0 || sizeBytes === 0) return 'unsatisfiable';
  return { start: Math.max(0, sizeBytes - lengthBytes), end: sizeBytes - 1 };
}
