import { parseSync } from 'oxc-parser';
import { resolveImport } from './layers.ts';
import { isNode, lineOf, type Node, type SourceFile, visit } from './source-file.ts';

/** A file of the product, with what the counts need beside the facts of the layer rules. */
export type CountedFile = SourceFile & { text: string };

/** One line of the list that `house.ts --numbers` prints. */
interface HouseNumber {
  name: string;
  value: string;
}

const longFunctionLines = 70;
const longFileLines = 400;
const duplicateLines = 10;
export const maxOwnersOfName = 3;

/** Counts what the product consists of. Tests and what only they use are left out. */
export function countNumbers(files: readonly CountedFile[]): HouseNumber[] {
  const product = files.filter(({ isTest }) => !isTest);
  const parts = product.map(partsOf);
  const lines = sum(parts.map((part) => part.lines));
  const importLines = sum(parts.map((part) => part.importLines));
  const types = parts.flatMap((part) => part.types);
  const functions = parts.flatMap((part) => part.functions).sort((left, right) => left - right);
  const longFunctions = functions.filter((length) => length > longFunctionLines).length;
  const readers = findReaders(product);
  const readOnce = product.filter(({ path }) => readers.get(path)?.size === 1).length;
  const duplicates = findDuplicates(product);
  const sharedNames = findSharedNames(product);
  return [
    { name: 'production lines', value: `${lines}` },
    { name: 'files', value: `${product.length}` },
    { name: 'files above 400 lines', value: `${parts.filter((part) => part.lines > longFileLines).length}` },
    { name: 'files with one reader', value: `${readOnce} (${percent(readOnce, product.length)})` },
    { name: 'lines that are imports', value: `${importLines} (${percent(importLines, lines)})` },
    { name: 'types', value: `${types.length}` },
    { name: 'types named …Options or …Props', value: `${types.filter(isBagOfOptions).length}` },
    { name: 'functions', value: `${functions.length}` },
    { name: 'lines of a function, median', value: `${quantile(functions, 0.5)}` },
    { name: 'lines of a function, p90', value: `${quantile(functions, 0.9)}` },
    {
      name: 'functions above 70 lines',
      value: `${longFunctions} (${percent(longFunctions, functions.length)})`,
    },
    { name: `repeated runs of ${duplicateLines} lines or more`, value: `${duplicates.length}` },
    {
      name: 'exported names that stand more than three times',
      value: `${sharedNames.filter(({ owners }) => owners.length > maxOwnersOfName).length}`,
    },
  ];
}

/** The files of the product that import each of its files. */
export function findReaders(product: readonly SourceFile[]): Map<string, Set<string>> {
  const readers = new Map<string, Set<string>>(product.map(({ path }) => [path, new Set()]));
  for (const { path, imports } of product) {
    for (const { specifier } of imports) {
      const target = resolveImport(path, specifier);
      if (target !== undefined && target !== path) readers.get(target)?.add(path);
    }
  }
  return readers;
}

interface SharedName {
  name: string;
  owners: { path: string; line: number }[];
}

/** Each step of the database exports `up` and is read by its path. */
const step = /\/migrations\//;

/** The names of exported functions and types with the files that declare them, the most frequent first. */
export function findSharedNames(product: readonly CountedFile[]): SharedName[] {
  const owners = new Map<string, SharedName['owners']>();
  for (const { path, text } of product.filter((file) => !step.test(file.path))) {
    for (const [name, start] of exportedNames(parseSync(path, text).program.body)) {
      const known = owners.get(name) ?? [];
      // Two declarations of one name in a file are overloads, or a schema's constant with its type.
      if (known.at(-1)?.path !== path) owners.set(name, [...known, { path, line: lineOf(text, start) }]);
    }
  }
  return [...owners]
    .map(([name, places]) => ({ name, owners: places }))
    .sort((left, right) => right.owners.length - left.owners.length || (left.name < right.name ? -1 : 1));
}

function exportedNames(statements: readonly unknown[]): [name: string, start: number][] {
  return statements.filter(isNode).flatMap((statement) => {
    const { declaration } = statement;
    if (statement.type !== 'ExportNamedDeclaration' || !isNode(declaration)) return [];
    if (
      /^(TSDeclareFunction|FunctionDeclaration|TSInterfaceDeclaration|TSTypeAliasDeclaration|ClassDeclaration)$/.test(
        declaration.type,
      )
    )
      return [[nameOfNode(declaration.id), statement.start] as [string, number]];
    return functionsIn(declaration).map((name) => [name, statement.start] as [string, number]);
  });
}

/** The names of functions that a statement keeps in constants. */
function functionsIn({ declarations }: Node): string[] {
  if (!Array.isArray(declarations)) return [];
  return (declarations as Node[])
    .filter(({ init }) => isNode(init) && /^(ArrowFunction|Function)Expression$/.test(init.type))
    .map(({ id }) => nameOfNode(id));
}

interface Duplicate {
  lines: number;
  places: [path: string, line: number][];
}

interface TextLine {
  text: string;
  line: number;
}

/**
 * Finds runs of lines that stand in two places. Indentation, empty lines, comments and imports are left out; a run that
 * stands in three places counts twice.
 */
export function findDuplicates(product: readonly Pick<CountedFile, 'path' | 'text'>[]): Duplicate[] {
  const found: Duplicate[] = [];
  const firstPlaces = new Map<string, { path: string; at: number; lines: TextLine[] }>();
  for (const { path, text } of product) {
    const lines = comparableLines(path, text);
    for (let at = 0; at + duplicateLines <= lines.length; ) {
      const key = lines
        .slice(at, at + duplicateLines)
        .map((line) => line.text)
        .join('\n');
      const first = firstPlaces.get(key);
      if (first === undefined) firstPlaces.set(key, { path, at, lines });
      if (first === undefined || (first.path === path && at < first.at + duplicateLines)) {
        at += 1;
        continue;
      }
      const length = commonLength(first.lines, first.at, { lines, at });
      found.push({
        lines: length,
        places: [
          [first.path, first.lines[first.at]?.line ?? 0],
          [path, lines[at]?.line ?? 0],
        ],
      });
      at += length;
    }
  }
  return found;
}

function commonLength(
  left: TextLine[],
  from: number,
  { lines, at }: { lines: TextLine[]; at: number },
): number {
  let length = 0;
  while (lines[at + length] !== undefined && left[from + length]?.text === lines[at + length]?.text)
    length += 1;
  return length;
}

function comparableLines(path: string, text: string): TextLine[] {
  const { program, comments } = parseSync(path, text);
  const imports = program.body.filter(({ type }) => type === 'ImportDeclaration');
  let rest = text;
  for (const { start, end } of [...comments, ...imports])
    rest = rest.slice(0, start) + rest.slice(start, end).replace(/[^\n]/g, ' ') + rest.slice(end);
  return rest
    .split('\n')
    .map((line, index) => ({ text: line.trim(), line: index + 1 }))
    .filter((line) => line.text !== '');
}

interface FileParts {
  lines: number;
  importLines: number;
  types: string[];
  /** The length of each function. */
  functions: number[];
}

function partsOf({ path, text }: CountedFile): FileParts {
  const parts: FileParts = { lines: text.split('\n').length - 1, importLines: 0, types: [], functions: [] };
  visit(parseSync(path, text).program, (node) => {
    if (node.type === 'ImportDeclaration') parts.importLines += lengthOf(text, node);
    else if (/^TS(Interface|TypeAlias)Declaration$/.test(node.type)) parts.types.push(nameOfNode(node.id));
    else if (/^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type))
      parts.functions.push(lengthOf(text, node));
  });
  return parts;
}

function lengthOf(text: string, { start, end }: Node): number {
  return text.slice(start, Number(end)).split('\n').length;
}

function nameOfNode(id: unknown): string {
  return isNode(id) && typeof id.name === 'string' ? id.name : '';
}

function isBagOfOptions(name: string): boolean {
  return /(Options|Props)$/.test(name);
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
}

function percent(part: number, whole: number): string {
  return `${((100 * part) / whole).toFixed(2)} %`;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
