import { parseSync } from 'oxc-parser';
import type { Finding } from './finding.ts';
import { isNode, lineOf, visit } from './source-file.ts';

/** Parts of a browser that a page may lack or be refused, and the one file that uses each. */
const parts = [
  {
    name: 'randomUUID',
    home: 'packages/client/src/random-id.ts',
    fix: 'use randomId() of the client: a page that came over plain HTTP has no randomUUID',
  },
  {
    name: 'localStorage',
    home: 'packages/console/src/lib/browser-storage.ts',
    fix: 'use browserStorage of the console: a browser may refuse its storage',
  },
  {
    name: 'sessionStorage',
    home: 'packages/console/src/lib/browser-storage.ts',
    fix: 'use browserStorage of the console: a browser may refuse its storage',
  },
];

/** Finds what works on a page from this machine, and not on one from another machine or in a private window. */
export function findBrowserParts(path: string, text: string): Finding[] {
  if (!/^packages\/(console|client)\/src\/.+\.tsx?$/.test(path) || path.includes('.test.')) return [];
  const mentioned = parts.filter(({ name, home }) => home !== path && text.includes(name));
  if (mentioned.length === 0) return [];
  const findings: Finding[] = [];
  visit(parseSync(path, text).program, (node) => {
    const part = mentioned.find(
      ({ name }) => isNode(node) && node.type === 'Identifier' && node.name === name,
    );
    if (part === undefined) return;
    const { name: found, fix } = part;
    findings.push({ file: path, line: lineOf(text, node.start), rule: 'everywhere-in-browsers', found, fix });
  });
  return findings;
}
