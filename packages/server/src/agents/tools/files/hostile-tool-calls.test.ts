import { readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
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

describe('a hostile model', () => {
  const secret = 'the secret of bob';

  beforeEach(async () => {
    await put('outputs/secret.txt', secret, 'bob');
    await put('workspace/mine.txt', 'mine');
    await writeFile(join(tools.home, 'secret.txt'), secret);
    await symlink(join(tools.home, 'secret.txt'), disk('workspace/link'));
    await symlink(disk('outputs', 'bob'), disk('workspace/folder'));
  });

  const paths = [
    '/etc/passwd',
    'etc/passwd',
    '',
    '/',
    '/mnt',
    '/mnt/user-dataX/a',
    '/mnt/skillsX',
    '/mnt/user-data/../../../../../secret.txt',
    '/mnt/user-data/workspace/../../../../../../secret.txt',
    '/mnt/user-data/workspace/..%2f..%2fsecret.txt',
    '/mnt/user-data/workspace/%2e%2e/%252e%252e/secret.txt',
    '/mnt/user-data/workspace/..\\..\\secret.txt',
    '/mnt/user-data/workspace/\u2025/secret.txt',
    '/mnt/user-data/workspace/link',
    '/mnt/user-data/workspace/folder/secret.txt',
    '/mnt/user-data/workspace/C:/secret.txt',
    '/mnt/user-data/workspace/con',
    '/mnt/user-data/workspace/a\u0000b',
    '/mnt/user-data//etc/passwd',
    '/mnt/user-data/../../bob/threads/t1/user-data/outputs/secret.txt',
    `/mnt/user-data/${'x/'.repeat(5_000)}`,
    `file:///mnt/user-data/workspace/mine.txt`,
    '/users/bob/threads/t1/user-data/outputs/secret.txt',
  ];

  it('is told that a name is too long, and no such file is looked for', async () => {
    const path = `/mnt/user-data/workspace/${'x'.repeat(256)}`;
    await expect(use('write_file', { path, content: 'x' })).rejects.toMatchObject({
      code: 'path_denied',
      message: expect.stringContaining('a part is longer than 255 bytes'),
    });
  });

  it.each(paths)('gets nothing by the path %j', async (path) => {
    const calls: [string, object][] = [
      ['ls', { path }],
      ['glob', { path, pattern: '**' }],
      ['grep', { path, pattern: 'secret' }],
      ['read_file', { path }],
      ['write_file', { path, content: 'mine now' }],
      ['write_file', { path, content: 'mine now', append: true }],
      ['str_replace', { path, old_str: 'secret', new_str: 'mine' }],
      ['present_files', { filepaths: [path] }],
    ];
    for (const [name, args] of calls) {
      const failure = await use(name, args).then(
        (answer) => expect.fail(`${name} answered ${answer}`),
        (error) => error,
      );
      expect(failure).toMatchObject({
        name: 'ToolFailure',
        code: expect.stringMatching(/^(path_denied|path_invalid|file_not_found)$/),
      });
      expect(failure.message).not.toContain(tools.home);
      expect(failure.message.length).toBeLessThan(600);
    }
    expect(await readFile(join(tools.home, 'secret.txt'), 'utf8')).toBe(secret);
    expect(await readFile(disk('outputs/secret.txt', 'bob'), 'utf8')).toBe(secret);
    expect((await readdir(tools.home)).sort()).toEqual(['secret.txt', 'users']);
  });

  it('finds no files of others by searching', async () => {
    for (const [name, args] of [
      ['ls', {}],
      ['glob', { pattern: '**' }],
      ['grep', { pattern: 'e' }],
    ] as const) {
      const answer = await use(name, { path: '/mnt/user-data', ...args });
      expect(answer).toContain('mine.txt');
      expect(answer).not.toMatch(/secret|link|folder/);
    }
  });

  it.each([{ userId: 'bob', threadId: 't2' }, { userId: 'cyd' }])(
    'finds nothing of another thread as %j',
    async (who) => {
      expect(await use('glob', { path: '/mnt/user-data', pattern: '**' }, who)).toBe(
        'No file fits the pattern.',
      );
      await expect(
        use('read_file', { path: '/mnt/user-data/outputs/secret.txt' }, who),
      ).rejects.toMatchObject({ code: 'file_not_found' });
    },
  );

  it('cannot change the uploads of the user', async () => {
    const path = await put('uploads/a.txt', 'hers');
    for (const [name, args] of [
      ['write_file', { content: '' }],
      ['write_file', { content: 'x', append: true }],
      ['str_replace', { old_str: 'hers', new_str: '' }],
    ] as const) {
      await expect(use(name, { path, ...args })).rejects.toMatchObject({
        code: 'path_denied',
        message: expect.stringContaining('Write a copy'),
      });
    }
    expect(await readFile(disk('uploads/a.txt'), 'utf8')).toBe('hers');
  });

  it('is told that a pattern would take for ever', async () => {
    await expect(use('glob', { path: '/mnt/user-data', pattern: 'x'.repeat(300) })).rejects.toMatchObject({
      code: 'pattern_invalid',
    });
    await expect(use('grep', { path: '/mnt/user-data', pattern: '(' })).rejects.toMatchObject({
      code: 'pattern_invalid',
    });
  });
});
