import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { testNamedPipe } from '@switchyard/dev-env/named-pipe';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SkillFiles } from './skill-files.ts';
import { SkillFolders } from './skill-folders.ts';

let home: string;
let folders: SkillFolders;
let warnings: object[];
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'switchyard-skills-'));
  warnings = [];
  folders = new SkillFolders({
    path: join(home, 'skills'),
    shipped: join(home, 'shipped'),
    log: { warn: (details) => warnings.push(details) },
  });
});
afterEach(() => rm(home, { recursive: true }));

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(home, path)), { recursive: true });
  await writeFile(join(home, path), text);
}
const skillText = (name: string, description = 'Does it.') =>
  `---\nname: ${name}\ndescription: ${description}\n---\nDo it.\n`;

describe('the folders of skills', () => {
  it('may be missing', async () => {
    expect(await folders.find()).toEqual({ skills: [], broken: [] });
  });

  it('are found by name: custom skills before public ones before those that come with the product', async () => {
    await put('shipped/a/SKILL.md', skillText('a', 'shipped'));
    await put('shipped/b/SKILL.md', skillText('b', 'shipped'));
    await put('shipped/c/SKILL.md', skillText('c', 'shipped'));
    await put('skills/public/b/SKILL.md', skillText('b', 'public'));
    await put('skills/public/c/SKILL.md', skillText('c', 'public'));
    await put('skills/custom/c/SKILL.md', skillText('c', 'custom'));
    const { skills } = await folders.find();
    expect(skills.map(({ name, description, category }) => [name, description, category])).toEqual([
      ['a', 'shipped', 'public'],
      ['b', 'public', 'public'],
      ['c', 'custom', 'custom'],
    ]);
  });

  it('are read again when a file has changed', async () => {
    await put('skills/public/a/SKILL.md', skillText('a', 'old'));
    await folders.find();
    await put('skills/public/a/new', skillText('a', 'new'));
    await rename(join(home, 'skills/public/a/new'), join(home, 'skills/public/a/SKILL.md'));
    expect((await folders.find()).skills).toMatchObject([{ description: 'new' }]);
    await rm(join(home, 'skills/public/a'), { recursive: true });
    expect((await folders.find()).skills).toEqual([]);
  });

  it('leave out a broken skill, and log the reason once', async () => {
    await put('skills/public/good/SKILL.md', skillText('good'));
    await put('skills/public/empty/README.md', 'x');
    await put('skills/public/other-name/SKILL.md', skillText('good'));
    await put('skills/public/Capital/SKILL.md', skillText('capital'));
    await put('skills/public/bad/SKILL.md', 'no front matter');
    await put('skills/public/large/SKILL.md', skillText('large') + 'x'.repeat(131_072));
    await put('skills/public/.hidden/SKILL.md', 'x');
    await put('skills/public/deep/SKILL.md/SKILL.md', skillText('deep'));
    await put('skills/public/file.txt', 'x');
    await symlink(join(home, 'skills/public/good'), join(home, 'skills/public/link'));
    await mkdir(join(home, 'skills/public/text-link'));
    await symlink(join(home, 'skills/public/good/SKILL.md'), join(home, 'skills/public/text-link/SKILL.md'));

    const { skills, broken } = await folders.find();
    expect(skills.map(({ name }) => name)).toEqual(['good']);
    expect(broken.map(({ name }) => name)).toEqual([
      'Capital',
      'bad',
      'deep',
      'empty',
      'large',
      'link',
      'other-name',
      'text-link',
    ]);
    expect(broken.map(({ sentences }) => sentences[0]?.code)).toEqual([
      'skill_folder_named',
      'skill_text_begins_wrong',
      'skill_file_wrong',
      'skill_file_missing',
      'skill_text_large',
      'skill_is_link',
      'skill_named_otherwise',
      'skill_file_wrong',
    ]);
    expect(JSON.stringify(broken)).not.toContain(home);
    await folders.find();
    expect(warnings).toHaveLength(broken.length);
    folders.forget();
    await folders.find();
    expect(warnings).toHaveLength(2 * broken.length);
  });

  const pipes = testNamedPipe('leave out a named pipe at once instead of waiting for a writer');

  it.skipIf(pipes.isSkipped)(pipes.title, async () => {
    await put('skills/public/good/SKILL.md', skillText('good'));
    await mkdir(join(home, 'skills/public/pipe'));
    pipes.createPipe(join(home, 'skills/public/pipe/SKILL.md'));
    const { skills, broken } = await folders.find();
    expect(skills.map(({ name }) => name)).toEqual(['good']);
    expect(broken.map(({ name }) => name)).toEqual(['pipe']);
  });
});

describe('the files of skills', () => {
  const anybody = { userId: 'ada', threadId: 't' };
  let disabled: string[];
  let nowMs: number;
  let files: SkillFiles;
  beforeEach(async () => {
    disabled = [];
    nowMs = 0;
    files = new SkillFiles({
      enabled: async () => (await folders.find()).skills.filter(({ name }) => !disabled.includes(name)),
      clock: () => nowMs,
    });
    await put('secret.txt', 'secret');
    await put('skills/custom/tea/SKILL.md', skillText('tea'));
    await put('skills/custom/tea/parts/cup.md', 'A cup.');
    await put('shipped/milk/SKILL.md', skillText('milk'));
  });
  const read = async (path: string, most = 1_000) => {
    const { bytes, sizeBytes } = await files.read(anybody, path, most);
    return { text: bytes.toString(), sizeBytes };
  };
  const names = async (path: string) => (await files.list(anybody, path)).map(({ name }) => name);

  it('are read, up to the requested size', async () => {
    expect((await read('/mnt/skills/custom/tea/SKILL.md')).text).toBe(skillText('tea'));
    expect(await read('mnt/skills/custom/tea/parts/cup.md', 3)).toEqual({ text: 'A c', sizeBytes: 6 });
    expect((await read('/mnt/skills/public/milk/SKILL.md')).text).toBe(skillText('milk'));
  });

  it('are listed from the top folder down', async () => {
    expect(await names('/mnt/skills')).toEqual(['public', 'custom']);
    expect(await names('/mnt/skills/')).toEqual(['public', 'custom']);
    expect(await names('/mnt/skills/public')).toEqual(['milk']);
    expect(await names('/mnt/skills/custom/tea')).toEqual(['SKILL.md', 'parts']);
    expect(await names('/mnt/skills/custom/tea/parts/')).toEqual(['cup.md']);
  });

  it('are those of the skills that are switched on, with a delay of at most a second', async () => {
    expect(await names('/mnt/skills/custom')).toEqual(['tea']);
    disabled = ['tea'];
    nowMs = 1_000;
    expect(await names('/mnt/skills/custom')).toEqual([]);
    await expect(read('/mnt/skills/custom/tea/SKILL.md')).rejects.toMatchObject({
      code: 'artifact_not_found',
    });
    await expect(names('/mnt/skills/custom/tea')).rejects.toMatchObject({ code: 'artifact_not_found' });
  });

  it('never lead outside of the skills', async () => {
    await symlink(join(home, 'secret.txt'), join(home, 'skills/custom/tea/leak'));
    await symlink(home, join(home, 'skills/custom/tea/up'));
    for (const path of ['custom/tea/leak', 'custom/tea/up/secret.txt', 'custom/tea/../../../secret.txt']) {
      await expect(read(`/mnt/skills/${path}`), path).rejects.toMatchObject({ code: 'path_denied' });
    }
    for (const path of [
      'custom/../../secret.txt',
      'custom/.history/tea.json',
      'other/tea/SKILL.md',
      '../x',
    ]) {
      await expect(read(`/mnt/skills/${path}`), path).rejects.toMatchObject({ code: 'artifact_not_found' });
    }
    await expect(read('/mnt/skills-of-others/x')).rejects.toMatchObject({ code: 'path_invalid' });
    await expect(names('/mnt/skills/custom/tea/up')).rejects.toMatchObject({ code: 'path_denied' });
    expect(await names('/mnt/skills/custom/tea')).toEqual(['SKILL.md', 'parts']);
  });

  it('are told apart from folders', async () => {
    await expect(read('/mnt/skills/custom/tea/parts')).rejects.toMatchObject({ code: 'path_invalid' });
    await expect(read('/mnt/skills/custom/tea')).rejects.toMatchObject({ code: 'path_invalid' });
    await expect(read('/mnt/skills')).rejects.toMatchObject({ code: 'path_invalid' });
    await expect(names('/mnt/skills/custom/tea/SKILL.md')).rejects.toMatchObject({
      code: 'artifact_not_found',
    });
    await expect(read('/mnt/skills/custom/tea/SKILL.md/x')).rejects.toMatchObject({
      code: 'artifact_not_found',
    });
    await expect(read('/mnt/skills/custom/tea/none')).rejects.toMatchObject({ code: 'artifact_not_found' });
  });
});
