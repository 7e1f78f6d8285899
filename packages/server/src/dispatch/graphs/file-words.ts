import type { FileKind } from '@switchyard/contract/dispatch/file';
import { modelName } from '@switchyard/contract/dispatch/model-file';
import type { Fault } from '@switchyard/contract/errors';
import { isRecord } from '@switchyard/contract/is-record';
import { AppError } from '../../lib/app-error.ts';
import { modelsIn } from './fingerprint.ts';
import { type Graph, isLink } from './graph.ts';

/** Words of the larger prompts that people write are a few hundred. What stands behind this many is not found. */
const maxWords = 2_000;
const maxTextLength = 100_000;
/** The room for a name and for its word, which may be longer. */
const maxModelLength = 250;
/** A longer value is a text, such as a prompt, which is found by its words. */
const maxValueLength = 200;
const maxValueWords = 8;
const maxQueryWords = 32;
const maxDepth = 32;

const scripts = ['Han', 'Hiragana', 'Katakana', 'Hangul', 'Thai', 'Lao', 'Khmer', 'Myanmar'];
/** Characters of scripts whose words have no spaces between them. */
const unspaced = `${scripts.map((script) => `\\p{Script=${script}}`).join('')}ー`;
/** A run of such characters, or letters, digits and marks side by side; more than 64 of these are several words. */
const runs = new RegExp(`([${unspaced}]+)|(?:(?![${unspaced}])[\\p{L}\\p{N}\\p{M}]){1,64}`, 'gu');

/** What is kept of the graph of a file. */
export interface GraphWords {
  /** By which the file is found. */
  words: readonly string[];
  /** The models that it was made with, of which the owner has a list. */
  models: readonly FileModel[];
}

export interface FileModel {
  /** The one among the words of the file. */
  word: string;
  /** Without folders, which differ between workers. */
  name: string;
}

export const noGraphWords: GraphWords = { words: [], models: [] };

export function graphWords(...[graph, inputNames]: Parameters<typeof wordsOfGraph>): GraphWords {
  const models = new Map<string, FileModel>();
  for (const { model } of modelsIn(graph)) {
    const name = modelName(model);
    const word = wordOfModel(name);
    const isShort = name.length <= maxModelLength && word.length <= maxModelLength;
    if (isShort && !models.has(word)) models.set(word, { word, name });
  }
  return { words: wordsOfGraph(graph, inputNames), models: [...models.values()] };
}

/**
 * Returns the words of what made a file: those of every text of the graph, each plain value as `name=value`, and the models. A file is
 * found by a question whose words are all among these and those of its name.
 */
export function wordsOfGraph(
  /** With its params in it. */
  graph: Graph,
  /** How files that the task was given are called in it. They say nothing about it. */
  inputNames: ReadonlySet<string>,
): string[] {
  const words = new Set<string>();
  for (const { model } of modelsIn(graph)) for (const word of namesOfModel(model)) words.add(word);
  const inputs = Object.values(graph)
    .flatMap((node) => Object.entries(node.inputs))
    .filter(([, value]) => !isLink(value) && !(typeof value === 'string' && inputNames.has(value)));
  for (const [name, value] of inputs) {
    const word = wordOfParam(name, value);
    if (word !== null) words.add(word);
  }
  const texts: string[] = [];
  for (const [, value] of inputs) collectTexts(value, texts, maxDepth);
  let room = maxTextLength;
  for (const text of texts) {
    for (const word of wordsOf(text.slice(0, room))) words.add(word);
    room -= text.length;
    if (room <= 0 || words.size >= maxWords) break;
  }
  return [...words].slice(0, maxWords);
}

/** Returns all words of a file, as its row keeps them. */
export function wordsOfFile(
  file: {
    owner: string;
    filename: string;
    contentType: string;
    source: string;
    workflowId?: string | null;
  },
  ofGraph: readonly string[] = [],
): string[] {
  const { owner, filename, contentType, source, workflowId } = file;
  const ofRow = wordsOfRow({ owner, source, kind: kindOf(contentType), workflowId: workflowId ?? undefined });
  return [...new Set([...ofRow, ...wordsOf(filename), ...ofGraph])];
}

/** Returns the words that every file with these columns has, and no other. */
export function wordsOfRow({
  owner,
  source,
  kind,
  workflowId,
}: {
  owner?: string | undefined;
  source?: string | undefined;
  kind?: FileKind | undefined;
  workflowId?: string | undefined;
}): string[] {
  return [
    ...(owner === undefined ? [] : [`@${inOneWord(owner)}`]),
    ...(source === undefined ? [] : [`_${source}`]),
    ...(kind === undefined ? [] : [`_${kind}`]),
    ...(workflowId === undefined ? [] : [`-${inOneWord(workflowId)}`]),
  ];
}

/** The beginnings of the types of each kind. All other types are of the last kind. */
export const typesOfKind: Record<Exclude<FileKind, 'other'>, string[]> = {
  image: ['image/'],
  video: ['video/'],
  audio: ['audio/'],
  text: ['text/', 'application/json', 'application/xml'],
};

function kindOf(contentType: string): FileKind {
  const kinds = Object.entries(typesOfKind) as [FileKind, string[]][];
  const found = kinds.find(([, types]) => types.some((type) => contentType.startsWith(type)));
  return found?.[0] ?? 'other';
}

/** The words that a file must have to be found. Throws when a filter contains none, or too many. */
export function wordsOfFilter({
  q,
  param = [],
  model,
}: {
  q?: string | undefined;
  param?: readonly string[] | undefined;
  model?: string | undefined;
}): string[] {
  const words = q === undefined ? [] : wordsOf(q, { isQuestion: true });
  if (q !== undefined && words.length === 0)
    throw refused('q', 'There is no word in it. Write at least one letter or digit.');
  if (words.length > maxQueryWords)
    throw refused(
      'q',
      `There are ${words.length} words in it; at most ${maxQueryWords} are allowed. Leave some out.`,
    );
  const params = param.map((text) => {
    const at = text.indexOf('=');
    if (at < 1) throw refused('param', `Write it as name=value, for example seed=42; this is "${text}".`);
    const word = wordOfParam(text.slice(0, at), text.slice(at + 1));
    if (word !== null) return word;
    throw refused('param', `The value of ${text.slice(0, at)} is a text. Search for its words with q.`);
  });
  return [...new Set([...words, ...params, ...(model === undefined ? [] : [wordOfModel(model)])])];
}

/** A run without spaces stands there by its characters and by each two neighbours; a question has the pairs alone. */
function wordsOf(text: string, { isQuestion = false } = {}): string[] {
  const words = new Set<string>();
  for (const [word, run] of text.normalize('NFKC').toLowerCase().matchAll(runs)) {
    if (run === undefined) {
      words.add(word);
      continue;
    }
    const characters = Array.from(run);
    if (!isQuestion || characters.length === 1) for (const each of characters) words.add(each);
    for (let at = 1; at < characters.length; at += 1) words.add(`${characters[at - 1]}${characters[at]}`);
  }
  return [...words];
}

function wordOfParam(name: string, value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return null;
  const text = String(value);
  const isText =
    name.length + text.length > maxValueLength || text.split(/\s+/, maxValueWords + 1).length > maxValueWords;
  return isText ? null : inOneWord(`${name}=${text}`);
}

/** A model is found by its whole name, without its folders, and without its ending as well. */
function namesOfModel(model: string): string[] {
  const file = modelName(model);
  return [model, file, file.replace(/\.[^.]*$/, '')].map(wordOfModel);
}

function wordOfModel(name: string): string {
  return `$${inOneWord(name)}`;
}

/** Signs become their wide forms, so that no engine divides the word, and no word of a text is equal to it. */
function inOneWord(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .replace(/[ -/:-@[-`{-~]/g, (sign) =>
      String.fromCodePoint(sign === ' ' ? 0x3000 : sign.charCodeAt(0) + 0xfee0),
    );
}

function collectTexts(value: unknown, texts: string[], depth: number): void {
  if (typeof value === 'string') texts.push(value);
  else if (depth > 0 && (Array.isArray(value) || isRecord(value)))
    for (const inner of Object.values(value)) collectTexts(inner, texts, depth - 1);
}

function refused(name: string, message: string): AppError {
  const faults: Fault[] = [{ in: 'query', path: [name], type: 'value_error', message }];
  return new AppError('validation_failed', { faults });
}
