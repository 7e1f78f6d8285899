import { describe, expect, it } from 'vitest';
import type { CountedFile } from './numbers.ts';
import { findSmallFiles, maxSmallLines, withoutExceptions } from './small-files.ts';
import { parseSource } from './source-file.ts';

const folder = 'packages/server/src/lib';
const file = (path: string, text: string): CountedFile => ({ ...parseSource(path, text), text });
const lines = (count: number) => 'run();\n'.repeat(count);
const reads = (name: string) => `import { run } from './${name}';\n`;
const found = (...files: CountedFile[]) =>
  findSmallFiles(files).map(({ file: path, found: what }) => [path, what]);

describe('a small file', () => {
  const cut = file(`${folder}/cut.ts`, lines(maxSmallLines));
  const reader = file(`${folder}/words.ts`, reads('cut.ts'));

  it('is found with its only reader', () => {
    expect(found(cut, reader)).toEqual([[cut.path, `40 lines that only ${reader.path} reads`]]);
  });

  it('may have a second reader, or one in another folder', () => {
    expect(found(cut, reader, file(`${folder}/lines.ts`, reads('cut.ts')))).toEqual([]);
    const elsewhere = "import { run } from '../lib/cut.ts';\n";
    expect(found(cut, file('packages/server/src/http/page.ts', elsewhere))).toEqual([]);
  });

  it('may have a test, be one line longer, or have a reader that is long already', () => {
    expect(found(cut, reader, file(`${folder}/cut.test.ts`, reads('cut.ts')))).toEqual([]);
    expect(found(file(cut.path, lines(maxSmallLines + 1)), reader)).toEqual([]);
    expect(found(cut, file(reader.path, reads('cut.ts') + lines(259)))).toHaveLength(1);
    expect(found(cut, file(reader.path, reads('cut.ts') + lines(260)))).toEqual([]);
  });

  it.each(['cut-store.ts', 'cut-routes.ts', 'tables.ts', 'migrations.ts'])('may be %s', (name) => {
    expect(found(file(`${folder}/${name}`, lines(3)), file(reader.path, reads(name)))).toEqual([]);
  });

  it('may be an exception, as long as it needs to be one', () => {
    const [finding] = findSmallFiles([cut, reader]);
    if (finding === undefined) throw new Error('The file was not found.');
    const exception = { file: cut.path, reason: 'a reason' };
    expect(withoutExceptions([finding], [])).toEqual([finding]);
    expect(withoutExceptions([finding], [exception])).toEqual([]);
    expect(withoutExceptions([], [exception])).toMatchObject([
      { file: cut.path, found: 'an exception that no file needs' },
    ]);
  });
});
