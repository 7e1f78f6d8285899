import { rmSync, writeFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '@switchyard/client/client';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterAll, describe, expect, it } from 'vitest';
import { readWorkflow, requireFile, uploadLocalFile } from './local-file.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());

function file(text: string): string {
  const path = join(folder.path, 'workflow.json');
  writeFileSync(path, text);
  return path;
}

describe('a workflow', () => {
  it('is the JSON object in a file', () => {
    expect(readWorkflow(file('{"1":{}}'), { cwd: '/', maxBytes: 100 })).toEqual({ '1': {} });
  });

  it.each([
    ['{', 'is not valid JSON'],
    ['[1]', 'is not a workflow'],
    ['null', 'is not a workflow'],
    [`{"a":"${'x'.repeat(100)}"}`, 'is larger than the 100 bytes'],
  ])('is not %s', (text, why) => {
    expect(() => readWorkflow(file(text), { cwd: '/', maxBytes: 100 })).toThrow(why);
  });
});

describe('a file', () => {
  it('exists, and is not a folder', () => {
    expect(requireFile(file('1234'))).toBe(4);
    expect(() => requireFile(join(folder.path, 'missing'))).toThrow('missing does not exist.');
    expect(() => requireFile(folder.path)).toThrow('is no file.');
  });

  it('that is gone when it is read fails its upload, and does not end the program', async () => {
    const path = file('1234');
    const upload: Client['upload'] = async (content) => {
      rmSync(path);
      // Time enough for a stream that has no reader yet to find that the file is gone.
      for (let look = 0; look < 10; look += 1) await stat(path).catch(() => undefined);
      for await (const _ of content as AsyncIterable<Uint8Array>);
      throw new Error('It was read.');
    };
    await expect(uploadLocalFile({ upload }, path, AbortSignal.any([]))).rejects.toThrow('ENOENT');
  });
});
