import { describe, expect, it } from 'vitest';
import { compareExternals, importedPackages } from './bundle-imports.mjs';

describe('what the bundle imports at run time', () => {
  it('is every outside package once, except Node’s modules and optional packages', () => {
    const imports = [
      { path: 'node:fs', external: true },
      { path: 'node:of-a-later-version', external: true },
      { path: 'fs/promises', external: true },
      { path: 'chunks/a.js' },
      { path: '@langchain/core/messages', external: true },
      { path: '@langchain/core', external: true },
      { path: 'bcrypt', external: true },
      { path: 'pg-native', external: true },
    ];
    const metafile = { outputs: { 'main.js': { imports }, 'chunks/a.js': { imports } } };
    expect(importedPackages(metafile)).toEqual(['@langchain/core', 'bcrypt']);
  });

  it('must be declared, and no other package may be declared', () => {
    expect(compareExternals(['bcrypt', 'sharp'], ['bcrypt', 'sharp'])).toEqual([]);
    expect(compareExternals(['bcrypt'], [])).toEqual([
      'The bundle imports bcrypt, which scripts/externals.mjs does not name.',
    ]);
    expect(compareExternals([], ['sharp'])).toEqual([
      'scripts/externals.mjs names sharp, which the bundle does not import.',
    ]);
  });
});
