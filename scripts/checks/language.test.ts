import { describe, expect, it } from 'vitest';
import { findHardLanguage, isHeldToPlainEnglish } from './language.ts';

const found = (text: string, path = 'a.ts') =>
  findHardLanguage(path, text).map((finding) => `${finding.line} ${finding.found}`);

describe('the check for plain English', () => {
  it.each(['whoever', 'nobody', 'likewise', 'anew', 'manieth'])(
    'finds %s in a comment, a test name and Markdown',
    (word) => {
      expect(found(`const a = 1;\n/** Also\n * ${word}. */`)).toEqual([`3 ${word}`]);
      expect(found(`// So ${word} is.`)).toEqual([`1 ${word}`]);
      expect(found(`it('is ${word}', run);`)).toEqual([`1 ${word}`]);
      expect(found(`describe.skipIf(isOff)(\`\${title} ${word}\`, run);`)).toEqual([`1 ${word}`]);
      expect(found(`it.each([1])('%i ${word}', run);`)).toEqual([`1 ${word}`]);
      expect(found(`# Title\n\nHere ${word} is.`, 'a.md')).toEqual([`3 ${word}`]);
    },
  );

  it.each([
    ['A member may pause the own tasks.', 'the own'],
    ['A body that is no command is refused.', 'that is no command'],
    ['These calls run by themselves: they are no runs.', 'they are no runs'],
    ['One run of a node. Null times: the worker was late.', '. Null times:'],
  ])('finds the foreign turn in "%s"', (text, turn) => {
    expect(found(`// ${text}`)).toEqual([`1 ${turn}`]);
    expect(found(text, 'a.md')).toEqual([`1 ${turn}`]);
  });

  it('accepts "there is no", "is no longer" and "their own"', () => {
    const text =
      'There is no file that is no longer theirs; their own tasks are no others than it is no more.';
    expect(found(text, 'a.md')).toEqual([]);
  });

  it('finds a word with a capital letter and a possessive', () => {
    expect(found("// Nobody's task.")).toEqual(['1 Nobody']);
  });

  it('ignores code, strings, code spans and fenced blocks', () => {
    expect(found("const anew = 'nobody'; // The user `nobody` exists.")).toEqual([]);
    expect(found("call('nobody', run);")).toEqual([]);
    expect(found('The user `nobody`.\n\n```sh\nsu nobody\n```\n\n', 'a.md')).toEqual([]);
  });

  it.each(['Of', 'Null where', 'Also where'])('finds a sentence that begins with %s', (start) => {
    const finding = `a sentence that begins with "${start}"`;
    expect(found(`/** ${start} it all. */`)).toEqual([`1 ${finding}`]);
    expect(found(`/**\n * A reason.\n * ${start} it all.\n */`)).toEqual([`3 ${finding}`]);
    expect(found(`// A part of it, or null where there is none, also where it is empty.`)).toEqual([]);
  });

  it.each(['Whether', 'How long', 'How often', 'How many', 'How much', 'How far'])(
    'finds a comment on a declaration that begins with %s',
    (start) => {
      const finding = `a comment that begins with "${start}"`;
      expect(found(`/** ${start} it waits. */`)).toEqual([`1 ${finding}`]);
      expect(found(`const a = 1;\n/**\n * ${start} it waits.\n */`)).toEqual([`2 ${finding}`]);
      expect(found(`/** Returns ${start.toLowerCase()} it waits. */`)).toEqual([]);
      expect(found(`// ${start} it waits is decided elsewhere.`)).toEqual([]);
      expect(found(`/* ${start} it waits is decided elsewhere. */`)).toEqual([]);
    },
  );

  it.each(['mostTasks', 'longestName', 'largestBytes'])('finds the name %s once in a file', (name) => {
    expect(found(`const ${name} = 1;\nuse(${name});`)).toEqual([`1 ${name}`]);
    expect(found(`use({ ${name}: 1 });`)).toEqual([`1 ${name}`]);
    expect(found(`class Queue { #${name} = 1; }`)).toEqual([`1 ${name}`]);
  });

  it('accepts names that only contain such a word', () => {
    expect(found('const most = utmostCare(almostDone, longest);')).toEqual([]);
  });

  it.each(['Wish', 'ThreadWish', 'Leavings', 'Sayings', 'Going', 'Said'])('finds the type %s', (name) => {
    expect(found(`interface ${name} { id: string }`)).toEqual([`1 ${name}`]);
    expect(found(`type ${name} = string;`)).toEqual([`1 ${name}`]);
    expect(found(`class ${name} {}`)).toEqual([`1 ${name}`]);
  });

  it('gives the rule and a way out with each finding', () => {
    expect(findHardLanguage('docs/guide/a.md', 'It starts anew.')).toEqual([
      { file: 'docs/guide/a.md', line: 1, rule: 'plain-english', found: 'anew', fix: 'write "again"' },
    ]);
  });

  it('reads code and Markdown, except records of decisions, generated pages and history', () => {
    const paths = ['packages/cli/src/cli.ts', 'docs/guide/mcp.md', 'README.md', 'scripts/check.mjs'];
    expect(paths.filter(isHeldToPlainEnglish)).toEqual(paths);
    const others = ['docs/adr/0001-record-decisions.md', 'CHANGELOG.md', 'packages/cli/package.json'];
    expect(others.filter(isHeldToPlainEnglish)).toEqual([]);
  });
});
