import { describe, expect, test } from 'vitest';
import { answerRange } from './serve-range.ts';

const file = { etag: '"abc"', sizeBytes: 1_000 };

describe('Range', () => {
  test.each([
    ['bytes=0-499', 0, 499],
    ['bytes=500-', 500, 999],
    ['bytes=-200', 800, 999],
    ['bytes=-5000', 0, 999],
    ['bytes=900-5000', 900, 999],
    ['bytes=0-0', 0, 0],
    ['BYTES=1-2', 1, 2],
  ])('%s returns that part', (range, start, end) => {
    expect(answerRange({ range }, file)).toEqual({
      status: 206,
      start,
      end,
      contentRange: `bytes ${start}-${end}/1000`,
    });
  });

  test.each(['bytes=1000-', 'bytes=5000-6000', 'bytes=-0'])('%s cannot be satisfied', (range) => {
    expect(answerRange({ range }, file)).toEqual({ status: 416, contentRange: 'bytes */1000' });
  });

  test.each(['bytes=', 'bytes=-', 'bytes=5-2', 'bytes=a-b', 'items=0-1', 'bytes=0-1,5-6', 'bytes=0x1-2', ''])(
    '%j is not understood and returns the whole file',
    (range) => {
      expect(answerRange({ range }, file)).toEqual({ status: 200 });
    },
  );

  test('no range of an empty file can be satisfied', () => {
    const empty = { etag: '"e"', sizeBytes: 0 };
    expect(answerRange({ range: 'bytes=0-' }, empty).status).toBe(416);
    expect(answerRange({ range: 'bytes=-1' }, empty).status).toBe(416);
    expect(answerRange({}, empty).status).toBe(200);
  });
});

describe('If-None-Match', () => {
  test.each(['"abc"', 'W/"abc"', '"x", "abc"', '*'])('%s says that the client has it', (ifNoneMatch) => {
    expect(answerRange({ ifNoneMatch, range: 'bytes=0-1' }, file)).toEqual({ status: 304 });
  });

  test('another tag returns the file', () => {
    expect(answerRange({ ifNoneMatch: '"x"' }, file)).toEqual({ status: 200 });
  });
});

describe('If-Range', () => {
  test('returns the range when the tag is the same', () => {
    expect(answerRange({ range: 'bytes=0-1', ifRange: '"abc"' }, file).status).toBe(206);
  });

  test.each(['"x"', 'W/"abc"', 'Wed, 21 Oct 2015 07:28:00 GMT'])(
    'returns the whole file with %s',
    (ifRange) => {
      expect(answerRange({ range: 'bytes=0-1', ifRange }, file).status).toBe(200);
    },
  );
});
