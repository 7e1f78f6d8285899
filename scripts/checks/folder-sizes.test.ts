import { describe, expect, it } from 'vitest';
import { findLargeFolders } from './folder-sizes.ts';

const files = (folder: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `packages/server/src/${folder}/file-${index}.ts`);
const found = (paths: string[], exceptions: Record<string, string> = {}, architecture = ''): string[] =>
  findLargeFolders(paths, { exceptions, architecture }).map(({ file, found: what }) => `${file}: ${what}`);

describe('folders of more than 25 files', () => {
  it('are found, and a folder of 25 is not', () => {
    expect(found(files('http', 26))).toEqual([
      'packages/server/src/http: 26 files, and at most 25 are allowed',
    ]);
    expect(found(files('http', 25))).toEqual([]);
  });

  it('are counted without tests, and without the folders below them', () => {
    const tests = files('http', 26).map((path) => path.replace('.ts', '.test.ts'));
    expect(found([...files('http', 20), ...files('http/body', 20), ...tests])).toEqual([]);
  });

  it('are allowed for a reason that ARCHITECTURE.md states', () => {
    const reason = 'each file is one tool';
    expect(found(files('agents/tools', 26), { 'agents/tools': reason }, `* ${reason}`)).toEqual([]);
    expect(found(files('agents/tools', 26), { 'agents/tools': reason }, 'nothing')).toEqual([
      'packages/server/src/agents/tools: an exception whose reason ARCHITECTURE.md does not state',
    ]);
  });

  it('lose their exception when they become small', () => {
    expect(found(files('agents/tools', 25), { 'agents/tools': 'each file is one tool' })).toEqual([
      'packages/server/src/agents/tools: an exception, and the folder is small',
    ]);
  });
});
