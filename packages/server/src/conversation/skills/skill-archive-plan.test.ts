import { describe, expect, it } from 'vitest';
import { codesIn } from '../../../testing/codes-in.ts';
import type { ZipMember } from '../workspace/zip-archive.ts';
import { planOf } from './skill-archive-plan.ts';

const megabyte = 1024 * 1024;
const member = (name: string, fields: Partial<ZipMember> = {}): ZipMember => ({
  name,
  crc: 0,
  packedBytes: 100,
  sizeBytes: 200,
  unixType: name.endsWith('/') ? 'folder' : 'file',
  ...fields,
});
const skill = member('SKILL.md');
const paths = (...members: ZipMember[]) => planOf(members, 100 * megabyte).map(({ path }) => path);

describe('the plan of an archive', () => {
  it('takes the files beside SKILL.md, at the top or in one folder', () => {
    expect(paths(skill, member('scripts/'), member('scripts/a.py'))).toEqual(['SKILL.md', 'scripts/a.py']);
    expect(paths(member('tea/'), member('tea/SKILL.md'), member('tea/a/b.txt'))).toEqual([
      'SKILL.md',
      'a/b.txt',
    ]);
  });

  it('leaves out files that desktops add to archives', () => {
    const litter = [member('__MACOSX/tea/._SKILL.md'), member('tea/.DS_Store'), member('.DS_Store')];
    expect(paths(member('tea/SKILL.md'), ...litter)).toEqual(['SKILL.md']);
  });

  it.each([
    ['an absolute path', [skill, member('/etc/passwd')], 'could lead out'],
    ['a way up', [skill, member('../x')], 'could lead out'],
    ['a way up inside', [skill, member('a/../../x')], 'could lead out'],
    ['a way up in a folder', [skill, member('a/../')], 'could lead out'],
    ['a backslash', [skill, member('..\\x')], 'could lead out'],
    ['a drive', [skill, member('C:x')], 'could lead out'],
    ['another stream of a file', [skill, member('SKILL.md:x')], 'could lead out'],
    ['an encoded way up', [skill, member('%2e%2e/x')], 'could lead out'],
    ['a device of Windows', [skill, member('con')], 'could lead out'],
    ['an empty name', [skill, member('')], 'could lead out'],
    ['a link', [skill, member('x', { unixType: 'other' })], 'a link or a device'],
    [
      'a link that it does not need',
      [skill, member('__MACOSX/x', { unixType: 'other' })],
      'a link or a device',
    ],
    ['no SKILL.md', [member('README.md')], 'SKILL.md has to be'],
    ['nothing', [], 'SKILL.md has to be'],
    ['two folders', [member('a/SKILL.md'), member('b/x')], 'SKILL.md has to be'],
    ['a SKILL.md too deep', [member('a/b/SKILL.md')], 'SKILL.md has to be'],
    ['a name twice', [skill, member('a'), member('a')], 'twice'],
    [
      'a name twice for some systems',
      [skill, member('é'.normalize('NFC')), member('É'.normalize('NFD'))],
      'twice',
    ],
    ['a file that is a folder', [skill, member('a'), member('A/b')], 'a file and a folder'],
    [
      'too many files',
      [skill, ...Array.from({ length: 1_000 }, (_, at) => member(`f${at}`))],
      'more than 1000 files',
    ],
    [
      'a file too large',
      [skill, member('a', { sizeBytes: 65 * megabyte, packedBytes: 9 * megabyte })],
      'larger than',
    ],
    [
      'too much together',
      Array.from({ length: 9 }, (_, at) =>
        member(`f${at}`, { sizeBytes: 60 * megabyte, packedBytes: megabyte }),
      ),
      'larger than 536870912 bytes together',
    ],
    ['a bomb', [skill, member('a', { sizeBytes: 20 * megabyte, packedBytes: 1_000 })], 'more than 100 times'],
    ['files that overlap', [skill, member('a', { packedBytes: 101 * megabyte })], 'overlap'],
  ])('refuses %s', (_what, members, reason) => {
    const refused = () => planOf(members, 100 * megabyte);
    expect(refused).toThrow(expect.objectContaining({ code: 'skill_archive_invalid' }));
    expect(refused).toThrow(reason);
    expect(codesIn(refused)).not.toContain('quote');
  });

  it('accepts a small file that packs very well', () => {
    expect(paths(skill, member('a', { sizeBytes: 900_000, packedBytes: 900 }))).toContain('a');
  });
});
