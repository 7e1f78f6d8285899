import { describe, expect, it } from 'vitest';
import { codesIn } from '../../../testing/codes-in.ts';
import { isSkillName, readSkillText } from './skill.ts';

const text = (yaml: string, rest = '\nDo it.\n') => `---\n${yaml}\n---\n${rest}`;
const good = 'name: make-tea\ndescription: Makes tea.';

describe('the text of a skill', () => {
  it('describes the skill in its front matter', () => {
    expect(readSkillText(text(`${good}\nlicense: MIT\nallowed-tools: [read_file, ls]\nversion: 2`))).toEqual({
      name: 'make-tea',
      description: 'Makes tea.',
      license: 'MIT',
      allowedTools: ['read_file', 'ls'],
    });
  });

  it('needs no more than a name and a description', () => {
    expect(readSkillText(text(good))).toMatchObject({ license: null, allowedTools: null });
    expect(readSkillText(`\uFEFF${text(good, '').replaceAll('\n', '\r\n')}`)).toMatchObject({
      name: 'make-tea',
    });
  });

  it('accepts tools that are separated by spaces or commas', () => {
    const tools = readSkillText(
      text(`${good}\nallowed-tools: Bash(git status:*), read_file ls`),
    ).allowedTools;
    expect(tools).toEqual(['Bash(git status:*)', 'read_file', 'ls']);
  });

  it.each([
    ['no front matter', 'Just text.', 'begins with a line "---"'],
    ['no end of it', `---\n${good}\n`, 'begins with a line "---"'],
    ['no name', text('description: x'), 'name is missing'],
    ['no description', text('name: x'), 'description is missing'],
    ['an empty description', text('name: x\ndescription: "  "'), 'description is empty'],
    ['a name with a slash', text('name: ../x\ndescription: x'), 'lower-case letters'],
    ['a name with capitals', text('name: Tea\ndescription: x'), 'lower-case letters'],
    ['two hyphens', text('name: a--b\ndescription: x'), 'lower-case letters'],
    ['a name that the API needs', text('name: custom\ndescription: x'), 'lower-case letters'],
    ['a long name', text(`name: ${'a'.repeat(65)}\ndescription: x`), 'longer than 64'],
    ['a long description', text(`name: x\ndescription: ${'a'.repeat(1_025)}`), 'longer than 1024'],
    ['a number for a name', text('name: 5\ndescription: x'), 'name is text'],
    ['a list', text('- name'), 'not a list of keys'],
    ['broken YAML', text('name: [x'), 'not valid YAML'],
    ['a key twice', text('name: x\nname: y\ndescription: x'), 'not valid YAML'],
    ['a tool that is no name', text(`${good}\nallowed-tools: [[x]]`), 'allowed-tools'],
    ['aliases', text('a: &a [x]\nb: *a\nname: x\ndescription: x'), 'refers to itself'],
    ['control characters', text(good, 'a\u0007b'), 'control characters'],
    ['too much text', text(good, 'a'.repeat(131_072)), 'larger than 131072 bytes'],
  ])('is refused with %s', (_what, given, reason) => {
    expect(() => readSkillText(given)).toThrow(expect.objectContaining({ code: 'skill_invalid' }));
    expect(() => readSkillText(given)).toThrow(reason);
    expect(codesIn(() => readSkillText(given))[0]).not.toBe('quote');
  });
});

it('a skill has a name that a folder can have', () => {
  expect(['a', 'make-tea', 'x2-y3'].every(isSkillName)).toBe(true);
  expect(['', '.', '..', 'a/b', 'A', '-a', 'a-', 'custom', 'a b', 'a'.repeat(65)].some(isSkillName)).toBe(
    false,
  );
});
