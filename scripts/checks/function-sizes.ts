import { parseSync } from 'oxc-parser';
import type { Finding } from './finding.ts';
import { isNode, lineOf, type Node, visit } from './source-file.ts';

export const maxFunctionLines = 100;

/** What runs, measures or builds. A suite of tests is a list of cases, so tests and their support are not held to it. */
const held = /^(packages\/[^/]+\/src|benchmarks|scripts)\/.+\.(ts|tsx|mts|mjs)$/;
const functionTypes = ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'];

/**
 * Finds functions that are too long to be read at once. Lines are counted from the head to the closing bracket, with everything
 * inside. A table may be longer, because its lines do not depend on each other.
 */
export function findLongFunctions(path: string, text: string): Finding[] {
  if (!held.test(path) || path.includes('.test.')) return [];
  const findings: Finding[] = [];
  visit(parseSync(path, text).program, (node) => {
    if (!functionTypes.includes(node.type) || isTable(node)) return;
    const line = lineOf(text, node.start);
    const lines = lineOf(text, Number(node.end)) - line + 1;
    if (lines <= maxFunctionLines) return;
    findings.push({
      file: path,
      line,
      rule: 'short-functions',
      found: `a function of ${lines} lines, and at most ${maxFunctionLines} are allowed`,
      fix: 'give a part of it a name and a function of its own',
    });
  });
  return findings;
}

/**
 * A table is one literal that is returned, or a list of calls whose results are not kept, as in a migration or a list of
 * registrations. A function that declares a name, branches or repeats at its own level is no table.
 */
function isTable({ body }: Node): boolean {
  if (!isNode(body)) return false;
  if (body.type !== 'BlockStatement' && body.type !== 'FunctionBody') return isLiteral(body);
  const statements = Array.isArray(body.body) ? body.body.filter(isNode) : [];
  const [first] = statements;
  if (statements.length === 1 && first?.type === 'ReturnStatement') return isLiteral(first.argument);
  return statements.every(isCall);
}

function isLiteral(node: unknown): boolean {
  if (!isNode(node)) return false;
  if (node.type === 'ParenthesizedExpression') return isLiteral(node.expression);
  return node.type === 'ObjectExpression' || node.type === 'ArrayExpression';
}

function isCall({ type, expression }: Node): boolean {
  if (type !== 'ExpressionStatement' || !isNode(expression)) return false;
  const called = expression.type === 'AwaitExpression' ? expression.argument : expression;
  return isNode(called) && called.type === 'CallExpression';
}
