import { parseSync } from 'oxc-parser';
import type { Finding } from './finding.ts';
import { isNode, type Node, visit } from './source-file.ts';

/** Where the gateway is put together. Elsewhere two halves of one thing may use each other, as a timer and its listener do. */
const assembly = /^packages\/server\/src\/(.*\/)?(create-[^/]+|context|context\/[^/]+)\.ts$/;

/**
 * Finds names that a closure uses before the same function declares them. Such a name works only while no code calls
 * the closure early: things are built in the order in which they are used, or register with each other.
 */
export function findLateNames(path: string, text: string): Finding[] {
  if (!assembly.test(path)) return [];
  const findings: Finding[] = [];
  visit(parseSync(path, text).program, (node) => {
    if (node.type !== 'BlockStatement' && node.type !== 'FunctionBody') return;
    const statements = listOf(node.body);
    const declaredAt = new Map(statements.flatMap(declaredNames));
    for (const statement of statements) {
      for (const use of usesInClosures(statement)) {
        const declared = declaredAt.get(use.name);
        if (declared === undefined || declared <= use.start || statement.type === 'FunctionDeclaration')
          continue;
        findings.push({
          file: path,
          line: text.slice(0, use.start).split('\n').length,
          rule: 'no-late-names',
          found: `a closure uses ${use.name}, which is declared below it`,
          fix: 'declare it first, or let one side register with the other once both exist',
        });
      }
    }
  });
  return findings;
}

interface Use {
  name: string;
  start: number;
}

function declaredNames(statement: Node): [name: string, start: number][] {
  if (statement.type !== 'VariableDeclaration') return [];
  return listOf(statement.declarations).flatMap(({ id, start }) => {
    const { type, name } = (id ?? {}) as Node;
    return type === 'Identifier' && typeof name === 'string' ? [[name, start] as [string, number]] : [];
  });
}

/** Uses of names inside the functions of a statement. */
function usesInClosures(statement: Node): Use[] {
  const uses: Use[] = [];
  visit(statement, (node) => {
    if (node.type !== 'ArrowFunctionExpression' && node.type !== 'FunctionExpression') return;
    const own = new Set<string>();
    visit(node.params, (param) => {
      if (param.type === 'Identifier') own.add(String(param.name));
    });
    visit(node.body, (inner) => {
      for (const [name] of declaredNames(inner)) own.add(name);
    });
    visitUses(node.body, (name, start) => {
      if (!own.has(name)) uses.push({ name, start });
    });
  });
  return uses;
}

/** Identifiers that are values: no keys of objects, no names of members. */
function visitUses(node: unknown, each: (name: string, start: number) => void): void {
  if (Array.isArray(node)) {
    for (const item of node) visitUses(item, each);
    return;
  }
  if (!isNode(node)) return;
  if (node.type === 'Identifier') each(String(node.name), node.start);
  for (const [field, child] of Object.entries(node)) {
    const isName =
      (node.type === 'MemberExpression' && field === 'property') ||
      (node.type === 'Property' && field === 'key');
    if (isName && node.computed !== true) continue;
    if (field.startsWith('type')) continue;
    visitUses(child, each);
  }
}

function listOf(value: unknown): Node[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}
