import { parseSync } from 'oxc-parser';
import type { Finding } from './finding.ts';
import { lineOf, type Node, visit } from './source-file.ts';

/** Words that make a reader stop, each with what to write in its place. */
const hardWords: Readonly<Record<string, string>> = {
  whoever: 'name the actor: the caller, the client, the user',
  nobody: 'write "no one", or name the actor: no worker, no client',
  likewise: 'write "also" or "in the same way"',
  anew: 'write "again"',
  manieth: 'write "position"',
};
const hardWord = new RegExp(`\\b(${Object.keys(hardWords).join('|')})\\b`, 'gi');
/** Ways to put something that belong to another language, each with what to write in its place. */
const foreignTurns: readonly { pattern: RegExp; fix: string }[] = [
  { pattern: /\b[Tt]he own\b/g, fix: "say whose: their own, your own, the operator's own" },
  {
    pattern:
      /\b(?:[Tt]hat|[Ww]hich|[Ww]hat|[Ii]t|[Tt]his|[Tt]hese|they) (?:is|are|was|were) no (?!longer\b|more\b|other\b)[a-z]+/g,
    fix: 'write "is not a …"',
  },
  {
    pattern: /(?:^|[.!?]\s)\s*(?:Null|Absent|Empty) [a-z]+:/g,
    fix: 'make it a sentence: "It is null when …"',
  },
];
const hardStart = /(?:^|[.!?]\s)\s*(Of|Null where|Also where)\s/g;
/** The beginning of a comment on a declaration that asks and does not say what the thing is. */
const askedStart = /^\*\s*(?:\*\s*)?(Whether|How (?:long|often|many|much|far))\b/;
const maximum = /^(most|longest|largest)[A-Z]/;
const vagueType = /(Wish(es)?|Leavings|Sayings|Going|Said)(?![a-z])/;

const codeFile = /\.(m?ts|tsx|mjs)$/;
const otherRules = /^docs\/(adr|reference)\/|^CHANGELOG\.md$/;

export function isHeldToPlainEnglish(path: string): boolean {
  return !otherRules.test(path) && (codeFile.test(path) || path.endsWith('.md'));
}

/** Checks the words of comments, test names and Markdown, and the names of maxima and types. */
export function findHardLanguage(path: string, text: string): Finding[] {
  return path.endsWith('.md') ? findInProse(path, proseOf(text)) : findInCode(path, text);
}

interface Prose {
  text: string;
  line: number;
}

function findInCode(path: string, text: string): Finding[] {
  const { program, comments } = parseSync(path, text);
  const said = comments.map(({ value, start }) => ({ text: value, line: lineOf(text, start) }));
  const asked = said.flatMap((part) => findAsked(path, part));
  const names = new Map<string, Finding>();
  visit(program, (node) => {
    const title = testTitle(node);
    if (title !== undefined) said.push({ text: title, line: lineOf(text, node.start) });
    const fix = fixOfName(node);
    if (fix === undefined) return;
    const name = nameOf(node);
    if (!names.has(name)) names.set(name, finding(path, lineOf(text, node.start), { found: name, fix }));
  });
  const inWords = said.flatMap((part) => [...findInProse(path, part), ...findStarts(path, part)]);
  return [...inWords, ...asked, ...names.values()].sort((left, right) => left.line - right.line);
}

function findInProse(path: string, prose: Prose): Finding[] {
  const text = withoutCode(prose.text);
  const words = [...text.matchAll(hardWord)].map(({ 0: word, index }) =>
    finding(path, lineIn(prose, index), { found: word, fix: hardWords[word.toLowerCase()] ?? '' }),
  );
  const turns = foreignTurns.flatMap(({ pattern, fix }) =>
    [...text.matchAll(pattern)].map(({ 0: found, index }) =>
      finding(path, lineIn(prose, index), { found: found.trim(), fix }),
    ),
  );
  return [...words, ...turns];
}

function findStarts(path: string, prose: Prose): Finding[] {
  const sentences = prose.text.replace(/^[ \t]*\*/gm, (margin) => ' '.repeat(margin.length));
  return [...sentences.matchAll(hardStart)].map((match) => {
    const start = match[1] ?? '';
    const at = match.index + match[0].indexOf(start);
    return finding(path, lineIn(prose, at), {
      found: `a sentence that begins with "${start}"`,
      fix: 'begin with the subject and give the sentence a verb',
    });
  });
}

function findAsked(path: string, { text, line }: Prose): Finding[] {
  const [, start] = askedStart.exec(text) ?? [];
  if (start === undefined) return [];
  const fix = 'begin with "Returns …", "True when …", "The time that …" or "The number of …"';
  return [finding(path, line, { found: `a comment that begins with "${start}"`, fix })];
}

/** Keeps the lines where they are, so that a finding names the right one. */
function proseOf(markdown: string): Prose {
  let isFenced = false;
  const lines = markdown.split('\n').map((line) => {
    const isFence = /^\s*(```|~~~)/.test(line);
    if (isFence) isFenced = !isFenced;
    return isFence || isFenced ? '' : line;
  });
  return { text: lines.join('\n'), line: 1 };
}

function withoutCode(text: string): string {
  return text.replace(/`[^`\n]*`/g, (code) => ' '.repeat(code.length));
}

/** The title in `it('…')`, `describe.skipIf(…)('…')`, `it.each([…])('…')`. */
function testTitle({ type, callee, arguments: given }: Node): string | undefined {
  if (type !== 'CallExpression' || !/^(it|test|describe)$/.test(rootName(callee as Node))) return undefined;
  const [title] = given as Node[];
  if (title?.type === 'Literal' && typeof title.value === 'string') return title.value;
  if (title?.type !== 'TemplateLiteral') return undefined;
  return (title.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join(' ');
}

function rootName(callee: Node): string {
  if (callee.type === 'MemberExpression') return rootName(callee.object as Node);
  if (callee.type === 'CallExpression') return rootName(callee.callee as Node);
  return nameOf(callee);
}

function fixOfName(node: Node): string | undefined {
  const { type, id } = node;
  if (/^(Private)?Identifier$/.test(type) && maximum.test(nameOf(node))) return 'begin the name with max';
  const isType = /^(TSInterface|TSTypeAlias|Class)Declaration$/.test(type);
  return isType && id && vagueType.test(nameOf(id as Node))
    ? 'name the type with an ordinary noun'
    : undefined;
}

function nameOf(node: Node): string {
  const named = node.type.endsWith('Declaration') ? (node.id as Node) : node;
  return typeof named.name === 'string' ? named.name : '';
}

function lineIn(prose: Prose, offset: number): number {
  return prose.line + lineOf(prose.text, offset) - 1;
}

function finding(file: string, line: number, { found, fix }: Pick<Finding, 'found' | 'fix'>): Finding {
  return { file, line, rule: 'plain-english', found, fix };
}
