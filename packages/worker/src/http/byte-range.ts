export interface ByteRange {
  start: number;
  /** The last byte, inclusive. */
  end: number;
}

/**
 * Reads the single range of a Range header. Every other header, well-formed or not, is answered with the whole file.
 */
export function parseRange(
  header: string | undefined,
  size: number,
): ByteRange | 'unsatisfiable' | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? '');
  const [, first = '', last = ''] = match ?? [];
  if (match === null || (first === '' && last === '')) return undefined;
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined;
  return start >= size || start > end ? 'unsatisfiable' : { start, end };
}
