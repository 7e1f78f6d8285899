import { basename } from 'node:path';
import type { Finding } from './finding.ts';

/** Names that every area has once, by the rules of the house. */
const sharedNames = /\/((tables|migrations)(\.test)?\.ts$|migrations\/)/;
const area = /^packages\/server\/src\/(http|accounts|agents|dispatch|conversation|channels|ops)\//;

/** "Go to file" finds one file: within the areas of the server no name stands twice. */
export function findDoubleNames(paths: readonly string[]): Finding[] {
  const firstOf = new Map<string, string>();
  const findings: Finding[] = [];
  for (const path of paths) {
    if (!area.test(path) || sharedNames.test(path)) continue;
    const name = basename(path);
    const first = firstOf.get(name);
    if (first === undefined) firstOf.set(name, path);
    else
      findings.push({
        file: path,
        line: 0,
        rule: 'unique-file-names',
        found: `${first} has the same name`,
        fix: 'name each file after the one noun that it is about',
      });
  }
  return findings;
}
