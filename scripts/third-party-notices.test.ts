import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { externals } from './externals.mjs';
import { thirdPartyNotices } from './third-party-notices.mjs';

const root = resolve(import.meta.dirname, '..');
const lockfile = JSON.parse(readFileSync(`${root}/package-lock.json`, 'utf8'));
const text = thirdPartyNotices({
  root,
  lockfile,
  inputs: ['packages/server/src/main.ts', 'node_modules/fastify/lib/server.js'],
});
const notices = text.split(`\n\n${'='.repeat(80)}\n\n`);
const titles = notices.map((notice) => notice.split('\n')[0] ?? '');

describe('the third-party notices', () => {
  it('name every package that is installed beside the bundle, with its version and licence', () => {
    for (const name of externals) {
      const { version, license } = lockfile.packages[`node_modules/${name}`];
      expect(titles).toContain(`${name} ${version} (${license})`);
    }
  });

  it('name what those packages bring, and what the bundle contains, but no package of tests', () => {
    expect(titles.some((title) => title.startsWith('langsmith '))).toBe(true);
    expect(titles.some((title) => title.startsWith('fastify '))).toBe(true);
    expect(titles.some((title) => title.startsWith('vitest '))).toBe(false);
  });

  it('have the licence of libvips, which sharp loads, with its text', () => {
    expect(titles.some((title) => /^@img\/sharp-libvips-\S+ \S+ \(LGPL-3.0-or-later\)$/.test(title))).toBe(
      true,
    );
    expect(text).toContain('GNU LESSER GENERAL PUBLIC LICENSE');
    expect(text).toContain('GNU GENERAL PUBLIC LICENSE');
  });

  it('have a text for each package', () => {
    for (const notice of notices) expect(notice.split('\n').slice(1).join('').trim()).not.toBe('');
  });

  it('are refused when the text of a licence is nowhere', () => {
    const packages = {
      ...lockfile.packages,
      'node_modules/js-tiktoken': { version: '1.0.0', license: 'Odd-1.0' },
    };
    expect(() => thirdPartyNotices({ root, lockfile: { packages }, inputs: [] })).toThrow(
      'js-tiktoken 1.0.0 (Odd-1.0) holds no text of its licence: add the text to scripts/licences',
    );
  });
});
