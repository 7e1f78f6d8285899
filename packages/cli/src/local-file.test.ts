import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterAll, describe, expect, it } from 'vitest';
import { readWorkflow, requireFile } from './local-file.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());

function file(text: string): string {
  const path = join(folder.path, 'workflow.json');
  writeFileSync(path, text);
  return path;
}

describe('a workflow', () => {
  it('is the JSON object in a file', () => {
    expect(readWorkflow(file('{"1":{}}'), 100)).toEqual({ '1': {} });
  });

  it.each([
    ['{', 'is no JSON'],
    ['[1]', 'is no workflow'],
    ['null', 'is no workflow'],
    [`{"a":"${'x'.repeat(100)}"}`, 'is larger than the 100 bytes'],
  ])('is not %s', (text, why) => {
    expect(() => readWorkflow(file(text), 100)).toThrow(why);
  });
});

describe('a file', () => {
  it('is there, and is no folder', () => {
    expect(requireFile(file('1234'))).toBe(4);
    expect(() => requireFile(join(folder.path, 'missing'))).toThrow('missing does not exist.');
    expect(() => requireFile(folder.path)).toThrow('is no file.');
  });
});
