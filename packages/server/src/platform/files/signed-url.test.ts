import { createSecretKey } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { dayMs, hourMs } from '../../lib/time-units.ts';
import { isLinkValid, signLink } from './signed-url.ts';

const key = createSecretKey(Buffer.alloc(32, 7));
const nowMs = Date.UTC(2030, 0, 1, 10, 20);
const link = signLink(key, 'file-1', { nowMs, lifetimeMs: dayMs });

describe('a signed link', () => {
  test('is valid for its lifetime and at most an hour longer', () => {
    expect(isLinkValid(key, 'file-1', { ...link, nowMs: nowMs + dayMs })).toBe(true);
    expect(isLinkValid(key, 'file-1', { ...link, nowMs: nowMs + dayMs + hourMs })).toBe(false);
  });

  test('stays the same within an hour, so that a browser keeps what it loaded', () => {
    expect(signLink(key, 'file-1', { nowMs: nowMs + 30 * 60 * 1000, lifetimeMs: dayMs })).toEqual(link);
    expect(signLink(key, 'file-1', { nowMs: nowMs + hourMs, lifetimeMs: dayMs })).not.toEqual(link);
  });

  test('needs no encoding in a query', () => {
    expect(link.sig).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(link.expires).toMatch(/^\d{10}$/);
  });

  test.each([
    ['another file', 'file-2', {}],
    ['a later end', 'file-1', { expires: String(Number(link.expires) + 1) }],
    ['another signature', 'file-1', { sig: Buffer.alloc(32).toString('base64url') }],
    ['a cut signature', 'file-1', { sig: link.sig.slice(0, -2) }],
    ['a signature that is no text', 'file-1', { sig: '' }],
    ['an end that is no number', 'file-1', { expires: '1e99' }],
    ['a negative end', 'file-1', { expires: '-1' }],
    ['a missing end', 'file-1', { expires: undefined }],
    ['a missing signature', 'file-1', { sig: undefined }],
  ])('is refused with %s', (_, fileId, change) => {
    expect(isLinkValid(key, fileId, { ...link, ...change, nowMs })).toBe(false);
  });

  test('is refused under another key', () => {
    expect(isLinkValid(createSecretKey(Buffer.alloc(32, 8)), 'file-1', { ...link, nowMs })).toBe(false);
  });
});
