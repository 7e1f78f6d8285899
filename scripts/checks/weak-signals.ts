import { parseSync } from 'oxc-parser';
import type { Finding } from './finding.ts';
import { isNode, lineOf, visit } from './source-file.ts';

/**
 * Finds `AbortSignal.any` in the server. It holds its sources weakly, so a time limit among them may be collected before its
 * time, and what waits for it then waits for ever.
 */
export function findWeakSignals(path: string, text: string): Finding[] {
  if (!path.startsWith('packages/server/src/') || !text.includes('AbortSignal.any')) return [];
  const findings: Finding[] = [];
  visit(parseSync(path, text).program, (node) => {
    const { type, object, property } = node;
    if (type !== 'MemberExpression' || !isNode(object) || !isNode(property)) return;
    if (object.name !== 'AbortSignal' || property.name !== 'any') return;
    findings.push({
      file: path,
      line: lineOf(text, node.start),
      rule: 'no-weak-signals',
      found: 'AbortSignal.any',
      fix: 'use deadline() for a time limit, and linkedAbort() for a signal that also ends alone',
    });
  });
  return findings;
}
