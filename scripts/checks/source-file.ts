import { readFileSync } from 'node:fs';
import { parseSync } from 'oxc-parser';
import { listFiles } from './tree.ts';

export interface ImportStatement {
  specifier: string;
  line: number;
}

/** The facts of a file that the layer rules need: its imports, and where it builds SQL. */
export interface SourceFile {
  /** From the root of the repository, with forward slashes: `packages/server/src/lib/ids.ts`. */
  path: string;
  isTest: boolean;
  imports: ImportStatement[];
  /** Where it builds a statement of SQL. */
  queries: { line: number }[];
}

/** Tests, and what only they use: suites, fixtures, doubles and helper processes. */
const testFile = /\.test\.tsx?$|^packages\/[^/]+\/testing\//;
const packageSource = /^packages\/[^/]+\/(src|testing)\/.+\.tsx?$/;

export function readPackageSources(root: string): SourceFile[] {
  return listFiles(root)
    .filter((path) => packageSource.test(path))
    .map((path) => parseSource(path, readFileSync(`${root}/${path}`, 'utf8')));
}

export function parseSource(path: string, text: string): SourceFile {
  const { program, errors } = parseSync(path, text);
  const fault = errors[0];
  if (fault) throw new Error(`${path} cannot be parsed: ${fault.message}`);

  const imports: ImportStatement[] = [];
  const queries: { line: number }[] = [];
  visit(program, (node) => {
    const specifier = importedBy(node);
    if (specifier !== undefined) imports.push({ specifier, line: lineOf(text, node.start) });
    if (buildsQuery(node)) queries.push({ line: lineOf(text, node.start) });
  });
  return { path, isTest: testFile.test(path), imports, queries };
}

export interface Node {
  type: string;
  start: number;
  [field: string]: unknown;
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

export function visit(node: unknown, each: (node: Node) => void): void {
  if (Array.isArray(node)) {
    for (const item of node) visit(item, each);
    return;
  }
  if (!isNode(node)) return;
  each(node);
  for (const child of Object.values(node)) visit(child, each);
}

/** The module that a node imports, in each of the ways in which TypeScript can import one. */
function importedBy(node: Node): string | undefined {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
    case 'ImportExpression':
    case 'TSImportType':
      return literalText(node.source);
    case 'TSExternalModuleReference':
      return literalText(node.expression);
    case 'CallExpression':
      return isNamed(node.callee, 'require') && Array.isArray(node.arguments)
        ? literalText(node.arguments[0])
        : undefined;
    default:
      return undefined;
  }
}

function literalText(node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node.type === 'TSLiteralType') return literalText(node.literal);
  if (node.type !== 'TemplateLiteral' || !Array.isArray(node.quasis) || node.quasis.length !== 1)
    return undefined;
  return (node.quasis[0] as { value: { cooked: string } }).value.cooked;
}

const queryMethods = ['selectFrom', 'insertInto', 'updateTable', 'deleteFrom', 'replaceInto', 'mergeInto'];

/** `trx.insertInto(…)`: the query builder is used where it was not imported. */
function buildsQuery(node: Node): boolean {
  if (node.type !== 'CallExpression' || !isNode(node.callee)) return false;
  const { type, property } = node.callee;
  return type === 'MemberExpression' && queryMethods.some((method) => isNamed(property, method));
}

function isNamed(node: unknown, name: string): boolean {
  return isNode(node) && (node.name === name || literalText(node) === name);
}

export function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
