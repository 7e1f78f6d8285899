import { readFile, truncate } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FileToolsFixture, openFileTools } from '../../../../testing/file-tools-fixture.ts';

let tools: FileToolsFixture;
beforeEach(async () => {
  tools = await openFileTools();
});
afterEach(() => tools.close());

const use = async (...call: Parameters<FileToolsFixture['use']>): Promise<string> =>
  (await tools.use(...call)) as string;
const put: FileToolsFixture['put'] = (...file) => tools.put(...file);
const disk: FileToolsFixture['onDisk'] = (...file) => tools.onDisk(...file);

describe('a file', () => {
  it('is written, read, added to and read again', async () => {
    const path = '/mnt/user-data/workspace/deep/a.txt';
    expect(await use('write_file', { path, content: 'one\ntwo\n' })).toBe(`Wrote 8 bytes to ${path}.`);
    expect(await use('read_file', { path })).toBe('one\ntwo');
    await use('write_file', { path, content: 'three\n', append: true });
    expect(await use('read_file', { path, start_line: 2 })).toBe('two\nthree');
    expect(await use('read_file', { path, start_line: 2, end_line: 2 })).toBe('two');
    await use('write_file', { path, content: '' });
    expect(await use('read_file', { path })).toBe('The file is empty.');
  });

  it('is created by adding to it', async () => {
    await use('write_file', { path: '/mnt/user-data/outputs/a.txt', content: 'x', append: true });
    expect(await readFile(disk('outputs/a.txt'), 'utf8')).toBe('x');
  });

  it('is changed in one place, or in all places', async () => {
    const path = await put('workspace/a.txt', 'a b a $& é');
    expect(await use('str_replace', { path, old_str: 'b', new_str: '$& $1' })).toBe(
      `Replaced it in ${path}.`,
    );
    expect(await use('str_replace', { path, old_str: 'a', new_str: '', replace_all: true })).toBe(
      `Replaced 2 in ${path}.`,
    );
    expect(await use('read_file', { path })).toBe(' $& $1  $& é');
  });

  it.each([
    [{ old_str: 'z', new_str: '' }, 'text_not_found', 'does not occur'],
    [{ old_str: 'a', new_str: '' }, 'text_not_unique', 'occurs 2 times'],
    [{ old_str: 'b', new_str: 'x'.repeat(8 * 1024 * 1024) }, 'file_too_large', 'at most'],
  ])('stays as it is when that cannot be: %#', async (change, code, message) => {
    const path = await put('workspace/a.txt', 'a b a');
    await expect(use('str_replace', { path, ...change })).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
    expect(await readFile(disk('workspace/a.txt'), 'utf8')).toBe('a b a');
  });

  it('that is not text is neither shown nor changed in part', async () => {
    const picture = await put('workspace/a.png', Buffer.from([0x89, 0x50, 0, 1]));
    const latin = await put('workspace/latin.txt', Buffer.from('caf\xe9 x', 'latin1'));
    await expect(use('read_file', { path: picture })).rejects.toMatchObject({ code: 'not_text' });
    for (const path of [picture, latin]) {
      await expect(use('str_replace', { path, old_str: 'x', new_str: 'y' })).rejects.toMatchObject({
        code: 'not_text',
      });
    }
    expect(await use('read_file', { path: latin })).toBe('caf\ufffd x');
  });

  it('keeps everything that is added to it at the same time', async () => {
    const path = '/mnt/user-data/workspace/log.txt';
    const lines = Array.from({ length: 20 }, (_, index) => `line ${index}\n`);
    await Promise.all(lines.map((content) => use('write_file', { path, content, append: true })));
    const written = await readFile(disk('workspace/log.txt'), 'utf8');
    expect(written.split('\n').sort()).toEqual(['', ...lines.map((line) => line.trim())].sort());
  });
});

describe('a large file', () => {
  it('is read in parts, and the answer says how to go on', async () => {
    const lines = Array.from({ length: 3_000 }, (_, index) => `${index + 1} ${'x'.repeat(40)}`);
    const path = await put('uploads/a.csv', lines.join('\n'));
    const read: string[] = [];
    for (let next: number | undefined = 1; next !== undefined; ) {
      const answer = await use('read_file', { path, start_line: next });
      expect(answer.length).toBeLessThan(50_200);
      const [body = '', note] = answer.split('\n[Lines ');
      read.push(body);
      next = note === undefined ? undefined : Number(/start_line (\d+)/.exec(note)?.[1]);
      if (note) expect(note).toContain(' of 3000. Read on');
    }
    expect(read.join('\n')).toBe(lines.join('\n'));
    await expect(use('read_file', { path, start_line: 3_001 })).rejects.toThrow('has 3000 lines');
    await expect(use('read_file', { path, start_line: 9, end_line: 2 })).rejects.toThrow('before start_line');
  });

  it('is cut within a line that is longer than an answer', async () => {
    const path = await put('uploads/a.json', `${'🎨'.repeat(100_000)}\nsecond`);
    const answer = await use('read_file', { path });
    expect(answer).toContain(
      'Line 1 has 200000 characters; the rest of it is left out. Read on with start_line 2.',
    );
    expect(answer.length).toBeLessThan(50_200);
    expect(answer).not.toMatch(/\p{Surrogate}/u);
    expect(await use('read_file', { path, start_line: 2 })).toBe('second');
  });

  it('is read up to a limit, which the answer names', async () => {
    const path = await put('uploads/a.log', 'short\n'.repeat(1_500_000));
    expect(await use('read_file', { path, start_line: 1_398_100 })).toContain('Only the first 8388608 bytes');
    await expect(
      use('write_file', { path: '/mnt/user-data/outputs/a', content: 'x'.repeat(9_000_000) }),
    ).rejects.toMatchObject({ code: 'file_too_large' });
  });

  it('cannot grow without limit', async () => {
    const path = await put('workspace/a.log', 'x');
    await truncate(disk('workspace/a.log'), 8 * 1024 * 1024);
    await expect(use('write_file', { path, content: 'x', append: true })).rejects.toMatchObject({
      code: 'file_too_large',
    });
    await truncate(disk('workspace/a.log'), 9 * 1024 * 1024);
    await expect(use('write_file', { path, content: 'x', append: true })).rejects.toMatchObject({
      code: 'file_too_large',
    });
  });
});

describe('files are found', () => {
  beforeEach(async () => {
    await put('uploads/cat.png', Buffer.from([0x89, 0, 1]));
    await put('workspace/src/deep/a.ts', 'const cat = 1;\nconst dog = 2;\r\n');
    await put('workspace/src/b.md', '# Cat\n');
    await put('workspace/notes.md', 'nothing');
  });

  it('at two levels in a list', async () => {
    const listed = await use('ls', { path: '/mnt/user-data/workspace/' });
    const times = [...listed.matchAll(/, changed (\S+Z)\)/g)].map(([, time = '']) => Date.parse(time));
    expect(times.map((time) => Math.abs(Date.now() - time) < 3_600_000)).toEqual([true, true]);
    expect(listed.replaceAll(/, changed \S+Z/g, '')).toBe(
      [
        '/mnt/user-data/workspace/notes.md (7 bytes)',
        '/mnt/user-data/workspace/src/',
        '/mnt/user-data/workspace/src/b.md (6 bytes)',
        '/mnt/user-data/workspace/src/deep/',
      ].join('\n'),
    );
    expect(await use('ls', { path: '/mnt/user-data/outputs' })).toBe('The folder is empty.');
  });

  it('by name', async () => {
    expect(await use('glob', { path: '/mnt/user-data', pattern: '*.{md,ts}' })).toBe(
      [
        '/mnt/user-data/workspace/notes.md (7 bytes)',
        '/mnt/user-data/workspace/src/b.md (6 bytes)',
        '/mnt/user-data/workspace/src/deep/a.ts (31 bytes)',
      ].join('\n'),
    );
    expect(
      await use('glob', { path: '/mnt/user-data', pattern: 'workspace/*', include_dirs: true }),
    ).toContain('/mnt/user-data/workspace/src/\n'.trim());
    expect(await use('glob', { path: '/mnt/user-data', pattern: '*.py' })).toBe('No file fits the pattern.');
    expect(await use('glob', { path: '/mnt/user-data', pattern: '*.md', max_results: 1 })).toContain(
      '[There is more than these 1. Narrow the path or the pattern.]',
    );
  });

  it('by content', async () => {
    const found =
      '/mnt/user-data/workspace/src/b.md:1: # Cat\n/mnt/user-data/workspace/src/deep/a.ts:1: const cat = 1;';
    expect(await use('grep', { path: '/mnt/user-data', pattern: '\\bcat\\b' })).toBe(found);
    expect(await use('grep', { path: '/mnt/user-data', pattern: 'cat', glob: '*.ts' })).toBe(
      found.split('\n')[1],
    );
    expect(await use('grep', { path: '/mnt/user-data', pattern: 'cat', case_sensitive: true })).toBe(
      found.split('\n')[1],
    );
    expect(await use('grep', { path: '/mnt/user-data', pattern: '.', literal: true })).toBe(
      'No line fits the pattern.',
    );
    expect(await use('grep', { path: '/mnt/user-data/workspace/src/deep/a.ts', pattern: 'dog' })).toBe(
      '/mnt/user-data/workspace/src/deep/a.ts:2: const dog = 2;',
    );
    expect(await use('grep', { path: '/mnt/user-data', pattern: 'c', max_results: 1 })).toContain(
      'There is more than these 1.',
    );
    await expect(use('grep', { path: '/mnt/user-data/none', pattern: 'x' })).rejects.toMatchObject({
      code: 'file_not_found',
    });
  });

  it('in the first megabytes of a file, and the answer says so', async () => {
    await put('workspace/big.log', `needle\n${'x'.repeat(5_000_000)}\nneedle\n`);
    const answer = await use('grep', { path: '/mnt/user-data/workspace/big.log', pattern: 'needle' });
    expect(answer).toBe(
      [
        '/mnt/user-data/workspace/big.log:1: needle',
        '[Not everything was looked at: it stopped after 4194304 bytes of /mnt/user-data/workspace/big.log. Narrow the path, the glob or the pattern.]',
      ].join('\n'),
    );
  });

  it('only up to the limits of an answer', async () => {
    for (let index = 0; index < 60; index += 1)
      await put(`workspace/many/${String(index).padStart(200, 'n')}.txt`, 'x'.repeat(1_000));
    for (const [tool, args] of [
      ['ls', {}],
      ['glob', { pattern: '*' }],
      ['grep', { pattern: 'x' }],
    ] as const) {
      const answer = await use(tool, { path: '/mnt/user-data/workspace/many', ...args });
      expect(answer.length).toBeLessThan(20_500);
    }
    expect(await use('grep', { path: '/mnt/user-data/workspace/many', pattern: 'x' })).toContain(
      'There is more than these',
    );
  });

  it('in mounted trees as well, which can only be read', async () => {
    expect(await use('ls', { path: '/mnt/skills' })).toMatch(/^\/mnt\/skills\/a\.md \(5 bytes, changed /);
    expect(await use('read_file', { path: '/mnt/skills/a.md' })).toBe('skill');
    expect(await use('grep', { path: '/mnt/skills', pattern: 'skill' })).toBe('/mnt/skills/a.md:1: skill');
    await expect(use('write_file', { path: '/mnt/skills/a.md', content: '' })).rejects.toMatchObject({
      code: 'path_denied',
    });
  });

  it('until the run is stopped', async () => {
    await put('workspace/long.txt', `${'a'.repeat(40)}!`);
    const controller = new AbortController();
    const search = use(
      'grep',
      { path: '/mnt/user-data/workspace', pattern: '^(a+)+$' },
      { signal: controller.signal },
    );
    const outcome = expect(search).rejects.toThrow('stopped by hand');
    setImmediate(() => controller.abort(new Error('stopped by hand')));
    await outcome;
  });
});

describe('files are presented', () => {
  it('when they exist and are below outputs', async () => {
    const path = await put('outputs/a.txt', 'x');
    const answer: unknown = await use('present_files', { filepaths: [path] });
    expect(answer).toMatchObject({
      update: {
        artifacts: [path],
        messages: [{ content: 'Successfully presented files', tool_call_id: 'call_1' }],
      },
    });
  });

  it.each([
    ['/mnt/user-data/workspace/a.txt', 'path_denied'],
    ['/mnt/user-data/outputs/none.txt', 'file_not_found'],
    ['/mnt/user-data/outputs/../uploads/a.txt', 'path_denied'],
    ['/mnt/user-data/outputs', 'path_denied'],
    ['/mnt/user-data/outputs/folder', 'path_invalid'],
  ])('never %s', async (path, code) => {
    await put('outputs/folder/a.txt', 'x');
    await put('uploads/a.txt', 'x');
    const there = '/mnt/user-data/outputs/folder/a.txt';
    await expect(use('present_files', { filepaths: [there, path] })).rejects.toMatchObject({ code });
  });
});
