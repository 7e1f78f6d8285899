import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { describe, expect, it } from 'vitest';
import { openDatabase } from './open.ts';

describe('a file that is not a database', () => {
  it.each([
    [
      'a text',
      (file: string) =>
        writeFileSync(file, 'This was never a database, and it is long enough to see. '.repeat(20)),
    ],
    ['a folder', (file: string) => mkdirSync(file)],
  ])('is named with what to do: %s', async (_, make) => {
    const folder = temporaryFolder();
    const file = join(folder.path, 'switchyard.db');
    make(file);
    const opening = openDatabase({ backend: 'sqlite', file });
    await expect(opening).rejects.toThrow(`${file} is not a database. Restore it from a backup`);
    folder.remove();
  });
});
