import { createSecretKey } from 'node:crypto';
import { expect, test } from 'vitest';
import { ManualTime } from '../../testing/manual-time.ts';
import { fixedKeys } from '../platform/keys.ts';
import { Links } from './links.ts';

const key = createSecretKey(Buffer.alloc(32, 7));
const file = { fileId: 'AAAAAAAAAAAAAAAAAAAAAA', filename: 'a b/ü?.png' };

function newLinks(publicUrl: string | null = null) {
  const time = new ManualTime();
  const links = new Links({
    keys: fixedKeys(key),
    clock: time.now,
    publicUrl,
    listeningUrl: () => 'http://127.0.0.1:7300',
  });
  return { time, links };
}

function signatureOf(link: string): { expires?: string; sig?: string } {
  return Object.fromEntries(new URL(link).searchParams);
}

test('a link is valid for a day', () => {
  const { time, links } = newLinks();
  const signature = signatureOf(links.to(file));
  time.advance(24 * 60 * 60 * 1000 - 1_000);
  expect(links.isValid(file.fileId, signature)).toBe(true);
  time.advance(2_000);
  expect(links.isValid(file.fileId, signature)).toBe(false);
});

test('a link opens only its own file, and its time cannot be extended', () => {
  const { links } = newLinks();
  const { expires = '', sig = '' } = signatureOf(links.to(file));
  expect(links.isValid('BAAAAAAAAAAAAAAAAAAAAA', { expires, sig })).toBe(false);
  expect(links.isValid(file.fileId, { expires: String(Number(expires) + 1), sig })).toBe(false);
  expect(links.isValid(file.fileId, { expires, sig: sig.slice(1) })).toBe(false);
  expect(links.isValid(file.fileId, { expires })).toBe(false);
  expect(links.isValid(file.fileId, { sig })).toBe(false);
  expect(links.isValid(file.fileId, { expires: 'never', sig })).toBe(false);
});

test("a link uses the address of the caller's request, or the listening address, or the public address", () => {
  expect(newLinks().links.to(file, 'https://gateway.example')).toMatch(
    /^https:\/\/gateway\.example\/uploads\//,
  );
  expect(newLinks().links.to(file)).toMatch(/^http:\/\/127\.0\.0\.1:7300\/uploads\//);
  const { links } = newLinks('https://public.example/');
  expect(links.to(file, 'https://gateway.example')).toMatch(/^https:\/\/public\.example\/uploads\//);
});

test('a name becomes one part of the path', () => {
  const { pathname } = new URL(newLinks().links.to(file));
  expect(pathname).toBe(`/uploads/${file.fileId}/a%20b%2F%C3%BC%3F.png`);
});
