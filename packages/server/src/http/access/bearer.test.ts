import { expect, test } from 'vitest';
import { headerToken, holdsOwnToken } from './bearer.ts';

test('is undefined when neither header is sent', () => {
  expect(headerToken({ cookie: 'access_token=x' })).toBeUndefined();
});

test.each(['Bearer abc', 'bearer abc', 'BEARER   abc '])('reads %j', (authorization) => {
  expect(headerToken({ authorization })).toBe('abc');
});

test('reads x-api-key', () => {
  expect(headerToken({ 'x-api-key': 'abc' })).toBe('abc');
});

test.each(['', 'Bearer', 'Bearer ', 'Basic YTpi', 'Bearer a b', 'Bearer,abc'])(
  'refuses Authorization %j',
  (authorization) => {
    expect(() => headerToken({ authorization })).toThrow(expect.objectContaining({ code: 'token_invalid' }));
  },
);

test('refuses an empty x-api-key, a repeated one and an endless token', () => {
  for (const headers of [
    { 'x-api-key': '' },
    { 'x-api-key': ['a', 'b'] },
    { authorization: `Bearer ${'a'.repeat(4_097)}` },
  ]) {
    expect(() => headerToken(headers)).toThrow(expect.objectContaining({ code: 'token_invalid' }));
  }
});

test('accepts both headers only when they carry the same token', () => {
  expect(headerToken({ authorization: 'Bearer abc', 'x-api-key': 'abc' })).toBe('abc');
  expect(() => headerToken({ authorization: 'Bearer abc', 'x-api-key': 'other' })).toThrow(/not both/);
  expect(() => headerToken({ authorization: 'Basic abc', 'x-api-key': 'abc' })).toThrow(/not both/);
});

test.each(['Bearer sy_pat_x', 'sy_run_x', 'Basic sy_run_x', 'bearer "sy_pat_x"'])(
  'knows %j as one of ours',
  (header) => {
    expect(holdsOwnToken(header)).toBe(true);
  },
);

test.each(['Bearer lsv2_pt_x', 'sy_x', ''])('knows %j as one of somebody else', (header) => {
  expect(holdsOwnToken(header)).toBe(false);
});
